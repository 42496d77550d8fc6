"""Plans and comparisons for readers."""

import re
from html.parser import HTMLParser

from eigenveil import Comparison, Plan, compare_pca, plan_covariance, plan_low_rank, plan_mask, plan_pca, plan_subspace


def test_plans_show_words_and_no_raw_keys():
    for plan in (
        plan_pca(20000, 12, n_components=3, epsilon=1, delta=1e-6, bounds=(0, 10)),
        plan_pca(20000, 4, n_components=2, epsilon=1, bounds=(0, 10), spectrum=[2, 1, 0.1, 0.1]),
        plan_covariance(1000, 4, epsilon=1, bounds=(0, 1)),
        plan_low_rank(10000, 4, n_components=2, epsilon=1, row_norm=1),
        plan_mask(10_000, 20, epsilon=0.1, delta=0.001, row_norm=1),
        plan_subspace(1000, 50, n_components=2, epsilon=1, delta=1e-6, exact=True),
    ):
        for text in (str(plan), plan._repr_html_()):
            without_advice = text.replace(plan.warning, "").replace("|x_j|", "")
            assert not re.search(r"[a-z0-9]_[a-z0-9]|[{}]", without_advice), without_advice
            assert "no data was read" in text and "5% false alarms" in text
    text = str(plan_pca(20000, 12, n_components=3, epsilon=1, delta=1e-6, bounds=(0, 10)))
    assert "(1, 1e-06)-DP for adding or removing one row; holds for every data set (proved)" in text
    assert re.search(r"noise +standard deviation 0\.00\d+ on a variance, 0\.00\d+ on a covariance, 0\.01\d+ on the sum of all variances \(scaled units\)", text)


def test_comparisons_show_words():
    compared = compare_pca(20000, [9, 4, 1, 1, 1, 1], n_components=2, epsilon=1, delta=1e-6, row_norm=6)
    for text in (str(compared), compared._repr_html_()):
        assert "add-remove" in text and "proved-real-arithmetic" in text  # the words that parameters and releases have, in every face
        assert "without privacy" in text and "recommended: gauss" in text


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)


def test_html_is_escaped():
    evil = "<script>&\"'"
    for shown in (Plan(evil, evil, None, 1.0, {}, evil, ((evil, evil),), evil), Comparison([], 1.0, None, evil)):
        tags = _Tags()
        tags.feed(shown._repr_html_())
        assert "script" not in tags.seen and "table" in tags.seen and "&lt;script&gt;&amp;" in shown._repr_html_()
