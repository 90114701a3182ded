r"""
fault = "none: fits of light curves with warnings about few points, negative fluxes and a deprecated option; all are done"
kind = "healthy-warnings"
outcome = "healthy"
subject = []
shows = 'fitted 60 of 60'
"""

import logging
import math
import multiprocessing as mp
import random
import time
import warnings

FORM = "%(asctime)s - %(name)s - %(levelname)s - %(message)s"
logging.basicConfig(filename="fits.log", level=logging.INFO, format=FORM)
logging.captureWarnings(True)
log = logging.getLogger("lightcurve")


def fit(star):
    chance = random.Random(star)
    flux = [1 + 0.2 * math.sin(n / 3) + chance.gauss(0, 0.4) for n in range(chance.randint(5, 90))]
    if len(flux) < 15:
        log.warning("KIC %d: only %d points, period is uncertain", star, len(flux))
    if bad := sum(f < 0 for f in flux):
        log.warning("KIC %d: %d negative fluxes clipped", star, bad)
    if star % 19 == 0:
        warnings.warn("option 'legacy_errors' is deprecated and will be removed in 3.0", DeprecationWarning, stacklevel=2)
    for iteration in range(1, 40):
        time.sleep(0.03)
        if chance.random() < 0.12:
            break
    else:
        log.warning("KIC %d: no convergence after 39 iterations, last estimate kept (chi2 error 1.3e-2)", star)
    log.info("KIC %d: period %.3f d, %d iterations", star, 18.8 / (1 + star % 7), iteration)
    return True


def main():
    warnings.simplefilter("always")
    log.info("catalogue with 60 stars, 3 processes")
    with mp.Pool(3) as pool:
        done = sum(pool.imap_unordered(fit, range(757_076, 757_136)))
    log.info("fitted %d of 60 stars, 0 errors", done)
    print(f"fitted {done} of 60 stars")


main()
