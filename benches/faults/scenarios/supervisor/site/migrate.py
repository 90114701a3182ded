import sys
import time

print(f"{time.strftime('%b %d %H:%M:%S')} migrate: schema is at 41, nothing to do")
sys.exit(2)
