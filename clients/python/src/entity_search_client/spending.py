"""What may be spent, what is bound by signatures, and what was charged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

from .call import Call
from .errors import OfferRefusedError, SpendingLimitError


@dataclass(frozen=True)
class Asset:
    """A token that may be paid with, as worth one US dollar per unit."""

    #: As in CAIP-2, such as eip155:8453.
    network: str
    address: str
    decimals: int = 6


usdc = (
    Asset("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    Asset("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e"),
)


@dataclass(frozen=True)
class Spending:
    """What a client may spend: per call, and in all as long as it lives. Without other assets: USDC on Base and on its
    test network Base Sepolia."""

    per_call_usd: str | Decimal = "0.05"
    total_usd: str | Decimal = "1"
    assets: tuple[Asset, ...] = usdc
    #: The longest time for which a signature may be good. A server can take the money as long.
    signature_seconds_max: int = 600

    def __post_init__(self) -> None:
        for name in ("per_call_usd", "total_usd"):
            value = getattr(self, name)
            # A binary fraction is not the amount that was written.
            if not isinstance(value, str | Decimal | int) or isinstance(value, bool):
                raise TypeError(f'{name} must be a text or a Decimal, such as "0.05"')
            amount = decimal_of(value)
            if amount is None or amount < 0:
                raise ValueError(f'{name} must be an amount in US dollars, such as "0.05"')


def decimal_of(value: str | Decimal | int) -> Decimal | None:
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


#: Whether a signed payment was charged. "refused": the server said that nothing was taken; the signature still counts
#: against the limit while it is good. "unknown": no answer tells.
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
    #: Unix time in seconds; afterwards nobody can take it.
    valid_before: int
    header: str = field(repr=False)
    state: PaymentState = "unknown"


@dataclass(frozen=True)
class Reservation:
    """A part of the limit that is kept for a signature under way."""

    usd: Decimal


class Purse:
    """Keeps a client within its limit. Threads may share it.

    What is reserved, signed or charged counts. A payment that the server refused counts until its signature has ended,
    and one of unknown fate for ever: a server that takes the money and denies it gets no more than the limit.
    """

    def __init__(self, spending: Spending, now: Callable[[], float] = time.time) -> None:
        self.spending = spending
        self._now = now
        self._lock = threading.Lock()
        self._reserved: list[Reservation] = []
        self._payments: list[Payment] = []
        self._charged = Decimal(0)

    @property
    def charged_usd(self) -> Decimal:
        with self._lock:
            return self._charged

    @property
    def unresolved(self) -> tuple[Payment, ...]:
        """Signed payments of which it is not known whether they were charged."""
        with self._lock:
            return tuple(each for each in self._payments if each.state == "unknown")

    def asset_of(self, network: str, address: str) -> Asset:
        for each in self.spending.assets:
            if each.network == network and each.address.lower() == address.lower():
                return each
        raise OfferRefusedError(f"The server wants to be paid in a token that is not allowed: {address} on {network}")

    def reserve(self, usd: Decimal) -> Reservation:
        """Keeps an amount; raises where it is over a limit."""
        if usd > Decimal(self.spending.per_call_usd):
            raise SpendingLimitError(f"The call costs {usd} USD, and one call may cost {self.spending.per_call_usd}")
        with self._lock:
            now = self._now()
            self._payments = [each for each in self._payments if each.state == "unknown" or each.valid_before >= now]
            bound = self._charged + sum(each.usd for each in self._reserved) + sum(each.usd for each in self._payments)
            if bound + usd > Decimal(self.spending.total_usd):
                raise SpendingLimitError(
                    f"The call costs {usd} USD; of {self.spending.total_usd}, {bound} are spent or bound by signatures"
                )
            reservation = Reservation(usd)
            self._reserved.append(reservation)
            return reservation

    def sign(self, reservation: Reservation, payment: Payment) -> None:
        """The reservation is now bound by a signature."""
        with self._lock:
            self._drop(reservation)
            self._payments.append(payment)

    def release(self, reservation: Reservation) -> None:
        """Nothing was signed for it."""
        with self._lock:
            self._drop(reservation)

    def settle(self, payment: Payment, state: Literal["refused", "charged"]) -> None:
        """What the server said of a payment. A charge is counted once, and nothing undoes it."""
        with self._lock:
            if payment.state == "charged":
                return
            payment.state = state
            if state == "charged":
                self._charged += payment.usd
                self._payments = [each for each in self._payments if each is not payment]

    def reopen(self, payment: Payment) -> None:
        """A refused payment is sent again: until an answer tells, it may be charged."""
        with self._lock:
            if payment.state == "refused":
                payment.state = "unknown"
                if not any(each is payment for each in self._payments):
                    self._payments.append(payment)

    def _drop(self, reservation: Reservation) -> None:
        # By identity: two reservations of one amount are equal.
        self._reserved = [each for each in self._reserved if each is not reservation]
