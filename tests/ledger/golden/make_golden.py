"""Reference values of charges and caps at 50 digits; writes charges.csv beside itself.

Columns: quantity, a, b, c, d, value. Arguments are doubles written so that they read back; the value belongs to exactly
those doubles. Run: python3 make_golden.py   (needs mpmath 1.3; the tests only read the committed file)

  pure_mu(epsilon)                 the smallest mu with: epsilon-DP is mu-GDP
  pure_mu_two_steps(epsilon)       the same after two steps of the relation
  pair_delta(epsilon, delta, k)    delta of k steps: delta (e^(k eps) - 1)/(e^eps - 1)
  cap_mu(epsilon, delta, share)    M of a ledger with that promise
  whole_delta(M, E, D, epsilon)    D + delta_GDP(M)(epsilon - E)
"""
import pathlib

from mpmath import erfc, exp, expm1, mp, mpf, sqrt

mp.dps = 75


def tail(t):
    return erfc(t / sqrt(mpf(2))) / 2


def bisect(low, high, is_low):
    for _ in range(260):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return (low + high) / 2


def gdp_delta(mu, eps):
    return tail(eps / mu - mu / 2) - exp(eps) * tail(eps / mu + mu / 2)


def pure_mu(eps):
    kink = 1 / (1 + exp(eps))
    return 2 * bisect(mpf(0), mpf(60), lambda z: tail(z) > kink)


def cap_mu(eps, delta, share):
    # The two products are rounded down to doubles by the ledger; the shares here are powers of two or exact anyway.
    rest, left = eps - share * eps, delta - share * delta
    return bisect(mpf(2) ** -40, mpf(64), lambda mu: gdp_delta(mu, rest) < left)


ROWS = []


def add(quantity, value, *arguments):
    cells = [repr(float(x)) for x in arguments] + ["0.0"] * (4 - len(arguments))
    ROWS.append(f"{quantity},{','.join(cells)},{mp.nstr(value, 50, strip_zeros=False)}")


for eps in (1e-6, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0):
    add("pure_mu", pure_mu(mpf(eps)), eps)
    add("pure_mu_two_steps", pure_mu(2 * mpf(eps)), eps)
    for delta in (1e-12, 1e-6):
        for steps in (2, 3):
            if eps <= 2:
                value = mpf(delta) * expm1(steps * mpf(eps)) / expm1(mpf(eps))
                add("pair_delta", value, eps, delta, steps)
for eps, delta in ((0.5, 1e-6), (1.0, 1e-6), (3.0, 1e-6), (8.0, 1e-9)):
    for share in (0.0, 0.25, 0.5):
        mu = cap_mu(mpf(eps), mpf(delta), mpf(share))
        add("cap_mu", mu, eps, delta, share)
for mu, big, small in ((0.5, 0.75, 2.5e-7), (1.0, 0.1, 0.0), (0.05, 1.0, 1e-9)):
    for eps in (0.0, 0.3, 1.7):
        eps = float(mpf(big) + mpf(eps))
        value = mpf(small) + gdp_delta(mpf(mu), mpf(eps) - mpf(big))
        add("whole_delta", value, mu, big, small, eps)
path = pathlib.Path(__file__).with_name("charges.csv")
path.write_text("quantity,a,b,c,d,value\n" + "\n".join(ROWS) + "\n", encoding="utf-8")
