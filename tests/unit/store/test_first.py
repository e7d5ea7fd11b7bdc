from pathlib import Path

from store import EVERYTHING, PUBLIC, WORKSPACE, Admission, Draft, Memory, Place


def test_a_decision_admitted_is_in_its_elements_history(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, index="off")
    draft = Draft(title="Search stays on Postgres", elements=("service:search",))
    place = Place(source="slack", anchor="C1/1.0")
    admission = Admission(place=place, basis="1.0", scope=WORKSPACE, drafts=(draft,), provenance="rules-1")

    admitted = memory.admit(admission)
    again = memory.admit(admission)

    assert [each.title for each in memory.history("search", PUBLIC)] == ["Search stays on Postgres"]
    assert again.new == () and again.duplicates == 1
    assert memory.decision(admitted.new[0], EVERYTHING) == admitted.decisions[0]
    memory.close()
