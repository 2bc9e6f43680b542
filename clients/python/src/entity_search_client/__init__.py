"""Client of the entity-search API."""

from .client import AsyncClient, Client
from .errors import (
    ApiError,
    ConnectionFailedError,
    EntitySearchError,
    MissingCredentialsError,
    OfferRefusedError,
    PaymentRefusedError,
    SpendingLimitError,
    TimedOutError,
    UnexpectedAnswerError,
)
from .generated import errors as _by_code
from .generated import models
from .generated.errors import *  # noqa: F403
from .generated.models import CompanyItem, EventItem, InvestorItem, PersonItem
from .options import Limits
from .payment import Payment
from .spending import Asset, Spending

__all__ = [
    "ApiError",
    "Asset",
    "AsyncClient",
    "Client",
    "CompanyItem",
    "ConnectionFailedError",
    "EntitySearchError",
    "EventItem",
    "InvestorItem",
    "Limits",
    "MissingCredentialsError",
    "OfferRefusedError",
    "Payment",
    "PaymentRefusedError",
    "PersonItem",
    "Spending",
    "SpendingLimitError",
    "TimedOutError",
    "UnexpectedAnswerError",
    "models",
]
__all__ += _by_code.__all__
