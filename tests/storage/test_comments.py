"""Comments: text that people who signed in leave beside an experiment."""

import pytest

from ensembles.errors import Forbidden, InvalidInput, NotFound
from storage import Storage
from tests.storage.conftest import make_config
from tests.storage.people import sign_in


def test_people_comment_what_they_see(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    experiment = mia.create_experiment(make_config()).id
    first = bob.add_comment(experiment, "  <b>Why</b>\u202e so\nslow? ")
    mia.add_comment(experiment, "No idea")
    assert (first.user_name, first.text) == ("Bob", "<b>Why</b>\ufffd so\nslow?")
    said = storage.list_comments(experiment)
    assert [(one.user_name, one.text) for one in said[1:]] == [("Mia", "No idea")]
    assert "@" not in repr(said), "addresses are not told"
    with pytest.raises(Forbidden, match=r"^comments: only who wrote it and admins may delete it; Bob wrote it$"):
        mia.delete_comment(first.id)
    bob.delete_comment(first.id)
    sign_in(storage, "Ada", "admin").delete_comment(said[1].id)
    assert storage.list_comments(experiment) == []


def test_what_cannot_be_a_comment_is_refused(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    experiment = mia.create_experiment(make_config()).id
    for words, got in ((" \n ", "0"), ("x" * 5001, "5,001")):
        with pytest.raises(InvalidInput, match=f"comment: must have 1 to 5,000 characters, got {got}"):
            mia.add_comment(experiment, words)
    with pytest.raises(Forbidden, match="comments: one must be signed in to comment"):
        storage.add_comment(experiment, "Hello")


def test_comments_are_hidden_with_their_experiment(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    experiment = mia.create_experiment(make_config()).id
    comment = bob.add_comment(experiment, "Hello")
    mia.set_experiment_visibility(experiment, "private")
    for hidden in (lambda: bob.list_comments(experiment), lambda: bob.delete_comment(comment.id)):
        with pytest.raises(NotFound):
            hidden()
    assert mia.list_comments(experiment) == [comment]
