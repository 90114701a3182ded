import logging
logging.error('2023-02-15 10:00:00 ERROR boom')
