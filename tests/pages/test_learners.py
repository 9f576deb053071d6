"""The page of learners: all in a sentence each, one by its address."""

import pytest

from tests.pages.conftest import OpenPage
from tests.pages.made_up_results import texts


def test_all_learners_are_told_of_and_one_is_chosen(open_page: OpenPage) -> None:
    page = open_page("learners.py")
    assert "**Online bagging** (`online_bagging`)" in texts(page)
    page.selectbox(key="learner").set_value("Hoeffding tree").run()
    assert "* `grace_period` (float in" in texts(page)
    assert "**Online bagging**" not in texts(page)


def test_an_address_opens_one_learner(open_page: OpenPage) -> None:
    page = open_page("learners.py", learner="Naive Bayes")
    assert "## Naive Bayes" in texts(page)


def test_an_address_of_no_learner_is_said_to_lead_nowhere(open_page: OpenPage) -> None:
    page = open_page("learners.py", learner="My *own* boosting")
    assert [warning.value for warning in page.warning] == [
        r"No learner is called “My \*own\* boosting” here\. Those that there are stand below\."
    ]
    assert "**Online bagging** (`online_bagging`)" in texts(page)
    page.selectbox(key="learner").set_value("Hoeffding tree").run()
    assert not page.warning


def test_of_a_learner_whose_library_is_not_there_it_is_said(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ensembles.libraries.lack_of", lambda cls: f"{cls.key} needs more")
    app = open_page("learners.py", learner="XGBoost")
    assert [info.value for info in app.info] == ["xgboost needs more."]
