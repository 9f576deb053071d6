"""Upload a table: what was recognised, what the user makes of it, and storing it."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ensembles.data import Preview, build_dataset
from ensembles.data.apart import keep_ready, preview_apart
from ensembles.data.dates import DATE_KINDS
from ensembles.data.inference import class_problem
from ensembles.data.names import clean_name, stem
from ensembles.data.readers import MOST_BINS, MOST_CHARACTERS
from ensembles.data.row_choice import AS_THEY_ARE
from ensembles.data.sniffing import DELIMITERS
from ensembles.data.unpacking import size_of
from ensembles.errors import EnsembleLabError, InvalidInput
from ensembles.reports.formatting import pluralize
from ensembles.reports.recognised import DELIMITER_NAMES, recognised
from pages.parts.dataset_files import ON_SERVER, offers_files
from pages.parts.dataset_library import remember
from pages.parts.links import DATASETS, open_dataset
from pages.parts.notice import leave_notice
from pages.parts.store import show_errors, store
from pages.parts.text import escape_markdown
from pages.parts.upload_checks import draw_checks, draw_proposal
from pages.parts.upload_columns import draw_columns
from pages.parts.visibility import choose_visibility
from storage import DatasetRecord, Visibility, default_visibility

__all__ = ["draw_upload"]

_RECOGNISE = "recognise"
_OPTIONS = ("delimiter", "decimal", "has_header", "sheet", "skip_rows", "missing")
_BINS = "Group the numbers of the class column into classes of equal size"
_MANY_NUMBERS = 10
_SHOWN_ROWS = 8
_STOPPED = "reading was stopped"


def draw_upload() -> None:
    """Draw the upload, step by step; nothing is stored before the last one."""
    generation = st.session_state.setdefault("datasets_upload_generation", 0)
    limits, most = store().get_limits(), st.get_option("server.maxUploadSize") * 2**20
    if limits.upload_bytes is not None:
        most = min(most, limits.upload_bytes)
    file = st.file_uploader(
        "A table, one example a row: CSV, TSV, ARFF, Parquet or Excel (.xlsx), also gzipped or in a ZIP archive",
        help="As text: comma, semicolon, tab or blanks between values; decimal point or comma; with or without a header.",
        max_upload_size=max(1, -(-most // 2**20)),
        key=f"datasets_file_{generation}",
    )
    # a file that is too large never gets here: the browser shows no more than a sign, so the reason stands below it
    size = size_of(most) if most % 2**20 else f"{most // 2**20:,} MB"
    rows = "" if limits.rows is None else f" and {pluralize(limits.rows, 'example')}"
    st.caption(f"At most {size}{rows}. {_way_for_larger()}")
    if file is None:
        st.session_state.pop("datasets_preview", None)
        st.session_state.pop("datasets_made", None)
        keep_ready()
        return
    with show_errors():
        _check_size(file.size)
    key = f"datasets_{file.file_id}"
    # what was chosen stands in the session before it is drawn: which choices there are depends on the file
    options = {name: st.session_state.get(f"{key}_{name}") for name in _OPTIONS}
    options["missing"] = _marks(options["missing"])
    preview = _preview(file, options)
    if preview is not None:
        st.session_state[f"{key}_form"] = (bool(preview.content.delimiter), preview.content.sheets)
    is_text, sheets = st.session_state.get(f"{key}_form", (not file.name.lower().endswith(".xlsx"), ()))
    _draw_options(is_text, sheets, key)
    if preview is None:
        return
    st.caption(escape_markdown(recognised(preview)))
    for notice in preview.notices:
        st.info(escape_markdown(_in_words_of_the_page(notice)), icon=":material/info:")
    _draw_choices(preview, clean_name(file.name), key)


def _check_size(n_bytes: int) -> None:
    try:
        store().check_upload(n_bytes)
    except InvalidInput as error:
        raise InvalidInput(f"{str(error).rstrip('.')}. {_way_for_larger()}") from None


def _way_for_larger() -> str:
    if offers_files():
        return f"A larger file is read in batches where it lies: see “{ON_SERVER}”."
    return "A larger file is stored on the command line, where the program runs: `python -m runner datasets add FILE`."


def _in_words_of_the_page(sentence: str) -> str:
    """Return a sentence on a file with the settings that it may name called as the page calls them."""
    named = sentence.replace("(bins)", f"(“{_BINS}”)").replace(" (skip_rows)", "")
    return named.replace("skip_rows", "“Rows to skip”")


def _marks(text: str | None) -> tuple[str, ...] | None:
    return tuple(mark.strip() for mark in text.split(",")) if text and text.strip() else None


def _draw_options(is_text: bool, sheets: tuple[str, ...], key: str) -> None:
    """Draw what a user may know better about the file; None is left to recognition."""
    with st.expander("Read it differently", icon=":material/tune:"):
        columns = iter([*st.columns(3), *st.columns(3)])
        if is_text:
            _draw_marks(next(columns), next(columns), key)
        if sheets:
            next(columns).selectbox("Sheet", sheets, index=None, placeholder=_RECOGNISE, key=f"{key}_sheet")
        if is_text or sheets:
            next(columns).number_input(
                "Rows to skip",
                min_value=0,
                value=None,
                placeholder=_RECOGNISE,
                help="How many rows stand above the table: titles, dates and the like. Empty rows count.",
                key=f"{key}_skip_rows",
            )
            next(columns).selectbox(
                "First row",
                [None, True, False],
                format_func={None: _RECOGNISE, True: "names of the columns", False: "values"}.__getitem__,
                help="Of the table, below the rows to skip.",
                key=f"{key}_has_header",
            )
        next(columns).text_input(
            "Missing values",
            placeholder=_RECOGNISE,
            help="What stands for a missing value besides an empty cell, with commas between, like `-9, unknown`. It takes "
            "the place of the usual marks (?, NA, null and the like).",
            key=f"{key}_missing",
        )


def _draw_marks(left: DeltaGenerator, right: DeltaGenerator, key: str) -> None:
    left.selectbox(
        "Delimiter",
        [None, *DELIMITERS],
        format_func=lambda mark: DELIMITER_NAMES[mark] if mark else _RECOGNISE,
        key=f"{key}_delimiter",
    )
    right.selectbox(
        "Decimal mark",
        [None, ".", ","],
        format_func={None: _RECOGNISE, ".": "point", ",": "comma"}.__getitem__,
        key=f"{key}_decimal",
    )


def _preview(file: Any, options: dict[str, Any]) -> Preview | None:
    """Return the preview of an uploaded file, read once for each choice of options; say why when it cannot be used."""
    wanted = (file.file_id, tuple(options.values()))
    kept = st.session_state.get("datasets_preview")
    if kept is None or kept[0] != wanted:
        kept = (wanted, _read(file, options, wanted))
        st.session_state["datasets_preview"] = kept
    if isinstance(kept[1], str):
        st.error(escape_markdown(_in_words_of_the_page(kept[1])), icon=":material/error:")
        if kept[1].endswith(_STOPPED):
            st.button("Read it again", on_click=_keep, args=(None,), key="datasets_read_again")
        return None
    preview: Preview = kept[1]
    return preview


def _read(file: Any, options: dict[str, Any], wanted: Any) -> Preview | str:
    """Have the file read in another process, and say for how long. Whatever reruns the page ends the reading."""
    place = st.empty()
    with place.container():
        told = st.empty()
        told.caption("Reading the table")
        stopped = (wanted, f"{clean_name(file.name)}: {_STOPPED}")
        st.button("Stop", icon=":material/stop:", on_click=_keep, args=(stopped,), key="datasets_stop_reading")

    def tell(sentence: str) -> None:
        told.caption(escape_markdown(sentence))

    try:
        outcome: Preview | str = preview_apart(file.getvalue(), filename=file.name, on_wait=tell, **options)
    except EnsembleLabError as error:
        outcome = str(error)
    place.empty()
    return outcome


def _keep(outcome: tuple[Any, str] | None) -> None:
    """Have the next run of the page take this for what was read; None for nothing."""
    st.session_state["datasets_preview"] = outcome


def _draw_choices(preview: Preview, filename: str, key: str) -> None:
    names = [column.name for column in preview.columns]
    left, right = st.columns(2)
    name = left.text_input("Name", value=stem(filename)[:MOST_CHARACTERS], max_chars=MOST_CHARACTERS, key=f"{key}_name")
    marks_key = f"{key}_missing"
    # another sheet or header gives other columns: what was chosen of the ones before says nothing of them
    key = f"{key}_{hash((preview.content.sheet, tuple(names)))}"
    target = right.selectbox(
        "Class column",
        names,
        index=names.index(preview.target) if preview.target else None,
        placeholder="Choose the class",
        help="The column to be predicted.",
        key=f"{key}_target",
    )
    draw_proposal(preview, target)
    bins = _draw_bins(preview, target, key) if target is not None else None
    saving, checks = st.container(), st.container()
    kinds = draw_columns(preview, target, key=key)
    with checks:
        rows = draw_checks(preview, target, kinds, key=key, marks_key=marks_key)
    st.header("The first rows", anchor=False)
    st.dataframe(preview.head.head(_SHOWN_ROWS), hide_index=True, height="content")
    if len(names) > len(preview.head.columns):
        st.caption(f"The first {len(preview.head.columns)} of {pluralize(len(names), 'column')}.")
    with saving:
        choices = {"target": target, "target_bins": bins, "kinds": kinds, "rows": rows}
        _draw_saving(preview, filename, name.strip(), choices, key)


def _draw_saving(preview: Preview, filename: str, name: str, choices: dict[str, Any], key: str) -> None:
    target = choices["target"]
    problem = None if target is None or choices["target_bins"] else class_problem(preview.find_reading(target))
    if problem and target != preview.target:  # of the one that is proposed it stands above
        said = _in_words_of_the_page(f"Column “{target}” cannot be the class as it is: it {problem}.")
        st.info(escape_markdown(said), icon=":material/info:")
    twin = _find_twin(preview, choices) if target is not None else None
    if twin:
        st.info(f"The same content is stored already, as {escape_markdown(twin.name)}.", icon=":material/content_copy:")
        st.page_link(DATASETS, label="Open it", icon=":material/open_in_new:", query_params={"dataset": twin.sha256})
    if is_empty := not set(choices["kinds"].values()) - {"ignore"}:
        st.info("Every column besides the class is left out: give one of them another kind.", icon=":material/info:")
    visibility = choose_visibility("Who sees it", default_visibility(), key=f"{key}_visibility")
    unfit = not name or target is None or is_empty or problem or twin
    if st.button("Save", type="primary", icon=":material/save:", key=f"{key}_save", disabled=bool(unfit)):
        _save(preview, filename, visibility, name=clean_name(name), **choices)


def _find_twin(preview: Preview, choices: dict[str, Any]) -> DatasetRecord | None:
    """Return the stored data set with the content that these choices make of the file; None also if they make none."""
    with show_errors():
        records = store().list_datasets()
    kinds = [*choices["kinds"].values()]
    sizes = (preview.find_reading(choices["target"]).present, kinds.count("nominal"), kinds.count("numeric"))
    is_plain = choices["rows"] == AS_THEY_ARE and not set(DATE_KINDS).intersection(kinds)
    if is_plain and sizes not in [(record.rows, record.nominal, record.numeric) for record in records]:
        return None  # most files are found to be new without being built
    made = st.session_state.get("datasets_made")
    if made is None or made[0] is not preview or made[1] != choices:
        try:
            made = (preview, choices, build_dataset(preview, name="any", **choices).sha256)
        except EnsembleLabError:
            made = (preview, choices, "")
        st.session_state["datasets_made"] = made
    return next((record for record in records if record.sha256 == made[2]), None)


def _draw_bins(preview: Preview, target: str, key: str) -> int | None:
    """Let many numbers be grouped, when the class column holds such."""
    reading = preview.find_reading(target)
    if not reading.is_numeric or reading.distinct <= _MANY_NUMBERS:
        return None
    return st.number_input(
        _BINS,
        min_value=2,
        max_value=MOST_BINS,
        value=None,
        placeholder="every number is a class of its own",
        key=f"{key}_bins_{target}",
    )


def _save(preview: Preview, filename: str, visibility: Visibility, **choices: Any) -> None:
    with st.spinner("Storing the data set"):
        try:
            dataset = build_dataset(preview, **choices, source=f"uploaded {filename}")
        except EnsembleLabError as error:
            st.error(escape_markdown(_in_words_of_the_page(str(error))), icon=":material/error:")
            return
        with show_errors():
            remember(store().save_dataset(dataset, visibility=visibility), dataset)
    leave_notice(f"Stored {escape_markdown(dataset.name)}")
    st.session_state.pop("datasets_made", None)
    st.session_state.pop("datasets_preview", None)
    st.session_state["datasets_upload_generation"] += 1
    open_dataset(dataset.sha256)
