"""A payment that was signed for one call."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from .call import Call

#: The state of a signed payment. "refused": the server took nothing. "unknown": no answer has settled it.
PaymentState = Literal["unknown", "refused", "charged"]


@dataclass
class Payment:
    """A payment that was signed for one call. Its signature is in no text."""

    call: Call
    network: str
    asset: str
    #: In base units of the token.
    amount: int
    usd: Decimal
    nonce: str
    #: Unix time in seconds; the payment cannot be taken afterwards.
    valid_before: int
    header: str = field(repr=False)
    state: PaymentState = "unknown"
