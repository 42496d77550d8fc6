"""Reference values of the accounting rules at 50 digits; writes conversions.csv beside itself.

Columns: quantity, x, y, value, condition. x and y are doubles written exactly enough to round-trip;
the value belongs to exactly those doubles. `condition` is the relative change of the value per
relative change of the quantity it was inverted from (1 for closed forms): an inverse that is right
to one unit in the last place of its argument is off by that many units.
Run: python3 make_golden.py   (needs mpmath 1.3; the tests only read the committed file)
"""
import pathlib

from mpmath import mp, mpf, erfc, exp, expm1, log, log1p, pi, sqrt, tanh

mp.dps = 75


def tail(t):
    return erfc(t / sqrt(mpf(2))) / 2


def density(t):
    return exp(-t * t / 2) / sqrt(2 * pi)


def bisect(low, high, is_low):
    """Root by 190 halvings: more than 50 digits of any root above 2^-20."""
    for _ in range(190):
        middle = (low + high) / 2
        if is_low(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def gdp_delta(mu, eps):
    # Both tails have full relative precision; the difference loses at most 12 of the 75 digits.
    return tail(eps / mu - mu / 2) - exp(eps) * tail(eps / mu + mu / 2)


def gdp_epsilon(mu, delta):
    if gdp_delta(mu, mpf(0)) <= delta:
        return mpf(0), mpf(1)
    root = bisect(mpf(0), 45 * mu + mu * mu, lambda eps: gdp_delta(mu, eps) > delta)
    slope = exp(root) * tail(root / mu + mu / 2)
    return root, delta / (root * slope)


def gaussian_mu(eps, delta):
    high = mpf(256)
    while gdp_delta(high / 2, eps) > delta:
        high /= 2
    root = bisect(high / 2, high, lambda mu: gdp_delta(mu, eps) < delta)
    return root, delta / (root * density(eps / root - root / 2))


def gdp_trade_off(mu, a):
    z = bisect(mpf(-60), mpf(60), lambda t: tail(t) > a)
    return tail(mu - z)


def randomised_response_delta(eps0, delta0, eps):
    if eps >= eps0:
        return delta0
    return delta0 + (1 - delta0) * (exp(eps0) - exp(eps)) / (1 + exp(eps0))


def zcdp_delta(rho, eps):
    # The derivative of the log of the bound in s = order - 1 is (1+2s) rho - eps - log(1+1/s).
    s = exp(bisect(mpf(-120), mpf(120),
                   lambda t: (1 + 2 * exp(t)) * rho - eps - log1p(exp(-t)) < 0))
    value = exp(s * ((1 + s) * rho - eps) - s * log1p(1 / s) - log1p(s))
    return min(value, sqrt(rho / 2), sqrt(-expm1(-rho)), mpf(1))


def zcdp_epsilon(rho, delta):
    if min(sqrt(rho / 2), sqrt(-expm1(-rho))) <= delta:
        return mpf(0)
    target = -log(delta)
    s = exp(bisect(mpf(-120), mpf(120), lambda t: rho * exp(2 * t) + log1p(exp(t)) < target))
    return max(mpf(0), (1 + s) * rho + (target - log1p(s)) / s - log1p(1 / s))


def pure_renyi(eps, order):
    p = 1 / (1 + exp(-eps))
    q = 1 / (1 + exp(eps))
    return log(p ** order * q ** (1 - order) + q ** order * p ** (1 - order)) / (order - 1)


def pure_gdp(eps):
    kink = 1 / (1 + exp(eps))
    return 2 * bisect(mpf(-60), mpf(60), lambda t: tail(t) > kink)


MUS = [1e-8, 1e-5, 1e-3, 0.1, 0.5, 1.0, 3.0, 10.0, 37.5, 100.0]
EPSILONS = [0.0, 1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0, 1000.0]
DELTAS = [1e-300, 1e-100, 1e-30, 1e-12, 1e-6, 0.01, 0.5, 0.999]
RHOS = [1e-12, 1e-8, 1e-4, 0.01, 0.5, 3.0, 100.0, 5000.0]
TYPE_ONES = [1e-300, 1e-20, 1e-6, 0.05, 0.3, 0.5, 0.9, 0.999999]
ORDERS = [1.0000001, 1.5, 2.0, 10.0, 1000.0, 1e7]
SMALLEST = mpf(2) ** -1074


def rows():
    for mu in MUS:
        for eps in EPSILONS:
            value = gdp_delta(mpf(mu), mpf(eps))
            if value > SMALLEST * mpf(2) ** 60:
                yield "gdp_delta", mu, eps, value, 1
        for delta in DELTAS:
            yield "gdp_epsilon", mu, delta, *gdp_epsilon(mpf(mu), mpf(delta))
        for a in TYPE_ONES:
            value = gdp_trade_off(mpf(mu), mpf(a))
            if value > SMALLEST * mpf(2) ** 60:
                yield "gdp_trade_off", mu, a, value, 1
    for eps in EPSILONS:
        for delta in DELTAS if eps > 0 else DELTAS[3:]:  # at eps = 0 mu is close to delta itself
            yield "gaussian_mu", eps, delta, *gaussian_mu(mpf(eps), mpf(delta))
        for eps0 in EPSILONS[1:]:
            for delta0 in [0.0, 1e-9]:
                name = "pure_delta" if delta0 == 0.0 else "approx_delta"
                yield name, eps0, eps, randomised_response_delta(mpf(eps0), mpf(delta0), mpf(eps)), 1
    for eps in EPSILONS[1:]:
        yield "pure_zcdp", eps, 0.0, mpf(eps) * tanh(mpf(eps) / 2), 1
        if eps < 700:
            yield "pure_gdp", eps, 0.0, pure_gdp(mpf(eps)), 1
        for order in ORDERS:
            yield "pure_renyi", eps, order, pure_renyi(mpf(eps), mpf(order)), 1
    for rho in RHOS:
        for eps in EPSILONS:
            value = zcdp_delta(mpf(rho), mpf(eps))
            if value > SMALLEST * mpf(2) ** 60:
                yield "zcdp_delta", rho, eps, value, 1
        for delta in DELTAS:
            yield "zcdp_epsilon", rho, delta, zcdp_epsilon(mpf(rho), mpf(delta)), 1


def main():
    lines = ["quantity,x,y,value,condition"]
    for quantity, x, y, value, condition in rows():
        lines.append(f"{quantity},{x!r},{y!r},{mp.nstr(value, 50)},{mp.nstr(mpf(condition), 6)}")
    path = pathlib.Path(__file__).with_name("conversions.csv")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
