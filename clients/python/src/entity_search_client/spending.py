"""Limits on payments, and the account of signed and charged amounts."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from .errors import OfferRefusedError, SpendingLimitError
from .payment import Payment


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
    """Limits on payments: per call, and in all for the life of the client. By default, `assets` holds USDC on Base and
    on its test network Base Sepolia."""

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


class Purse:
    """Keeps a client within its limit. Threads may share it.

    Every signature counts forever, also one that the server refused: a server that takes the money and denies it gets
    no more than the limit.
    """

    def __init__(self, spending: Spending) -> None:
        self.spending = spending
        self._lock = threading.Lock()
        self._signed = Decimal(0)
        self._charged = Decimal(0)
        self._unresolved: list[Payment] = []

    @property
    def charged_usd(self) -> Decimal:
        with self._lock:
            return self._charged

    @property
    def unresolved(self) -> tuple[Payment, ...]:
        """Signed payments that may have been charged."""
        with self._lock:
            return tuple(self._unresolved)

    def asset_of(self, network: str, address: str) -> Asset:
        for each in self.spending.assets:
            if each.network == network and each.address.lower() == address.lower():
                return each
        raise OfferRefusedError(f"The server wants to be paid in a token that is not allowed: {address} on {network}")

    def reserve(self, usd: Decimal) -> None:
        """Takes an amount before it is signed for; raises if it is over a limit."""
        if usd > Decimal(self.spending.per_call_usd):
            raise SpendingLimitError(f"The call costs {usd} USD, and one call may cost {self.spending.per_call_usd}")
        with self._lock:
            if self._signed + usd > Decimal(self.spending.total_usd):
                raise SpendingLimitError(
                    f"The call costs {usd} USD; of {self.spending.total_usd}, {self._signed} are spent or bound by "
                    "signatures"
                )
            self._signed += usd

    def release(self, usd: Decimal) -> None:
        """Returns an amount for which nothing was signed."""
        with self._lock:
            self._signed -= usd

    def open(self, payment: Payment) -> None:
        """Records that a payment is sent: it may be charged until an answer settles it."""
        with self._lock:
            if payment.state == "charged":
                return
            payment.state = "unknown"
            if not any(each is payment for each in self._unresolved):
                self._unresolved.append(payment)

    def settle(self, payment: Payment, state: Literal["refused", "charged"]) -> None:
        """Records the outcome that the server reported. A charge is counted once and is final."""
        with self._lock:
            if payment.state == "charged":
                return
            payment.state = state
            self._unresolved = [each for each in self._unresolved if each is not payment]
            if state == "charged":
                self._charged += payment.usd
