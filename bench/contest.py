"""What a set of the benchmark consists of."""
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

import answers


@dataclass
class Contestant:
    argv: list
    answer: Callable = answers.json_line
    check_argv: Optional[list] = None  # where the answer shows under other options than those timed
    repeats: int = 1  # runs averaged into one measurement
    sampled: bool = False  # measure memory, not time
    reported: bool = False  # the times are those in the JSON line that the program prints
    expected: Optional[dict] = None  # where not all contestants of the set do the same
    statuses: tuple = (0,)  # the exit statuses of a good run
    before: Optional[Callable] = None  # called before each run, outside of what is measured
    counts: Optional[Callable] = None  # called after each run: more metrics of it
    written: Optional[Path] = None  # the file or directory that a run makes; its size becomes the metric file_mb


@dataclass
class Demand:
    """top / bottom is held to a bound. A side is (contestant or tuple of them, metric), a number, or a list
    of sides: the geometric mean of them."""
    text: str
    top: object
    bottom: object
    at_most: Optional[float] = None
    at_least: Optional[float] = None
    unit: str = ""


@dataclass
class Contest:
    title: str
    contestants: dict
    demands: list
    expected: dict = field(default_factory=dict)
    file: Optional[Path] = None
    decoded_size: int = 0
