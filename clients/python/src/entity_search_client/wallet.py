"""Signs payments by x402. Its packages are loaded only if there is a wallet."""

from __future__ import annotations

import base64
import binascii
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .call import Call
from .errors import OfferRefusedError
from .payment import Payment
from .spending import Purse

if TYPE_CHECKING:
    from eth_account.signers.base import BaseAccount


class OfferExtra(BaseModel):
    """The token's EIP-712 domain. Other keys, which could ask for another kind of signature, are not kept."""

    name: str = Field(max_length=100)
    version: str = Field(max_length=100)


class Offer(BaseModel):
    """One of the payments that a server accepts."""

    scheme: str
    network: str = Field(pattern=r"^eip155:[1-9][0-9]{0,30}$")
    amount: str = Field(pattern=r"^(0|[1-9][0-9]{0,77})$")
    asset: str = Field(pattern=r"^0x[0-9a-fA-F]{40}$")
    pay_to: str = Field(alias="payTo", pattern=r"^0x[0-9a-fA-F]{40}$")
    max_timeout_seconds: int = Field(alias="maxTimeoutSeconds", gt=0)
    extra: OfferExtra


class Offers(BaseModel):
    """The body of a 402. Each item of `accepts` is checked separately."""

    model_config = ConfigDict(strict=True)
    x402_version: int = Field(alias="x402Version")
    accepts: list[Any] = Field(max_length=32)


class Wallet:
    """Pays offers within a limit."""

    def __init__(self, key: str | BaseAccount, purse: Purse) -> None:
        try:
            from eth_account import Account
            from x402.mechanisms.evm.exact.register import register_exact_evm_client
            from x402.mechanisms.evm.signers import EthAccountSigner
        except ImportError as error:
            raise ImportError("A wallet needs more packages: pip install 'entity-search-client[x402]'") from error
        if isinstance(key, str):
            # The texts of eth_account's errors may hold what was given.
            if not re.fullmatch(r"(0x)?[0-9a-fA-F]{64}", key):
                raise ValueError("wallet must be a private key: 64 hexadecimal digits, with 0x before them or without")
            try:
                account = Account.from_key(key if key.startswith("0x") else f"0x{key}")
            except Exception:
                raise ValueError("wallet is not a private key of secp256k1") from None
        else:
            account = key
        from x402 import x402ClientSync

        self.purse = purse
        self.address: str = account.address
        self._client = x402ClientSync()
        # Check the offer against the limits before anything is signed.
        self._client.set_spend_controls(False)
        register_exact_evm_client(self._client, EthAccountSigner(account))

    def __repr__(self) -> str:
        return f"Wallet({self.address})"

    def pay(self, call: Call, header: str | None, body: bytes) -> Payment:
        """Signs the cheapest offer that may be paid.

        Raises OfferRefusedError or SpendingLimitError if there is none.
        """
        payable: list[tuple[Decimal, Offer]] = []
        refusal: OfferRefusedError | None = None
        for item in offers_in(header, body):
            try:
                offer = Offer.model_validate(item)
                payable.append((self._worth_of(offer), offer))
            except ValidationError:
                refusal = refusal or OfferRefusedError("The server's offer of a payment cannot be read")
            except OfferRefusedError as error:
                refusal = refusal or error
        if not payable:
            raise refusal or OfferRefusedError("The server asks for a payment and accepts none")
        return self._pay_offer(call, *min(payable, key=lambda each: each[0]))

    def _worth_of(self, offer: Offer) -> Decimal:
        """The price in dollars; raises if the offer may not be paid."""
        if offer.scheme != "exact":
            raise OfferRefusedError(f"The server wants a payment by a scheme that is not known: {offer.scheme[:50]!r}")
        asset = self.purse.asset_of(offer.network, offer.asset)
        longest = self.purse.spending.signature_seconds_max
        if offer.max_timeout_seconds > longest:
            raise OfferRefusedError(
                f"The server wants a signature that is good for {offer.max_timeout_seconds} s; {longest} s are allowed"
            )
        return usd_of(int(offer.amount), asset.decimals)

    def _pay_offer(self, call: Call, usd: Decimal, offer: Offer) -> Payment:
        from x402.http.utils import encode_payment_signature_header
        from x402.schemas import PaymentRequired, PaymentRequirements

        self.purse.reserve(usd)
        try:
            requirements = PaymentRequirements(
                scheme="exact",
                network=offer.network,
                asset=offer.asset,
                amount=offer.amount,
                pay_to=offer.pay_to,
                max_timeout_seconds=offer.max_timeout_seconds,
                extra={"name": offer.extra.name, "version": offer.extra.version},
            )
            signed = self._client.create_payment_payload(PaymentRequired(accepts=[requirements]))
            authorization = signed.payload["authorization"]
            if int(authorization["value"]) != int(offer.amount):
                raise OfferRefusedError("The wallet did not sign the amount that was offered")
            payment = Payment(
                call=call,
                network=offer.network,
                asset=offer.asset,
                amount=int(offer.amount),
                usd=usd,
                nonce=authorization["nonce"],
                valid_before=int(authorization["validBefore"]),
                header=encode_payment_signature_header(signed),
            )
        except BaseException:
            self.purse.release(usd)
            raise
        self.purse.open(payment)
        return payment


def usd_of(amount: int, decimals: int) -> Decimal:
    """An amount in base units as dollars: exact, and without zeros at its end."""
    whole, rest = divmod(amount, 10**decimals)
    fraction = f"{rest:0{decimals}d}".rstrip("0")
    return Decimal(f"{whole}.{fraction}" if fraction else str(whole))


def offers_in(header: str | None, body: bytes) -> list[Any]:
    """Returns the offers of a 402: from its x402 header, else from its body."""
    try:
        text = body if header is None else base64.b64decode(header, validate=True)
        offers = Offers.model_validate_json(text)
    except (ValidationError, binascii.Error, ValueError):
        raise OfferRefusedError("The server asks for a payment that cannot be read") from None
    if offers.x402_version != 2:
        raise OfferRefusedError(f"The server asks for a payment by version {offers.x402_version} of x402; 2 is known")
    return offers.accepts
