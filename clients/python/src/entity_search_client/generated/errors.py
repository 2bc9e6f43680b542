"""Written by generate.py from the OpenAPI document: do not edit."""

from ..errors import ApiError

__all__ = [
    "error_types",
    "InvalidParameterError",
    "InvalidCursorError",
    "CursorExpiredError",
    "MalformedRequestError",
    "InvalidApiKeyError",
    "PlanInactiveError",
    "RequestTimeoutError",
    "ExpectationFailedError",
    "RateLimitedError",
    "QuotaExceededError",
    "TooManyCursorsError",
    "HeadersTooLargeError",
    "SearchUnavailableError",
    "InternalError",
    "ServiceUnavailableError",
    "OverloadedError",
    "NotFoundError",
    "RemovalsUnknownError",
    "ExceedsPlanError",
    "MalformedBodyError",
    "BodyTooLargeError",
    "UnsupportedMediaTypeError",
    "ForeignOriginError",
    "PaidSearchOffError",
    "PaymentIdentifierUsedError",
    "TooManyPaymentsError",
    "FacilitatorUnavailableError",
    "ChainUnavailableError",
    "ShuttingDownError",
    "PaymentInProgressError",
    "SettlementUnknownError",
]


class InvalidParameterError(ApiError):
    """`invalid_parameter`"""


class InvalidCursorError(ApiError):
    """`invalid_cursor`"""


class CursorExpiredError(ApiError):
    """`cursor_expired`"""


class MalformedRequestError(ApiError):
    """`malformed_request`"""


class InvalidApiKeyError(ApiError):
    """`invalid_api_key`"""


class PlanInactiveError(ApiError):
    """`plan_inactive`"""


class RequestTimeoutError(ApiError):
    """`request_timeout`"""


class ExpectationFailedError(ApiError):
    """`expectation_failed`"""


class RateLimitedError(ApiError):
    """`rate_limited`"""


class QuotaExceededError(ApiError):
    """`quota_exceeded`"""


class TooManyCursorsError(ApiError):
    """`too_many_cursors`"""


class HeadersTooLargeError(ApiError):
    """`headers_too_large`"""


class SearchUnavailableError(ApiError):
    """`search_unavailable`"""


class InternalError(ApiError):
    """`internal_error`"""


class ServiceUnavailableError(ApiError):
    """`service_unavailable`"""


class OverloadedError(ApiError):
    """`overloaded`"""


class NotFoundError(ApiError):
    """`not_found`"""


class RemovalsUnknownError(ApiError):
    """`removals_unknown`"""


class ExceedsPlanError(ApiError):
    """`exceeds_plan`"""


class MalformedBodyError(ApiError):
    """`malformed_body`"""


class BodyTooLargeError(ApiError):
    """`body_too_large`"""


class UnsupportedMediaTypeError(ApiError):
    """`unsupported_media_type`"""


class ForeignOriginError(ApiError):
    """`foreign_origin`"""


class PaidSearchOffError(ApiError):
    """`paid_search_off`"""


class PaymentIdentifierUsedError(ApiError):
    """`payment_identifier_used`"""


class TooManyPaymentsError(ApiError):
    """`too_many_payments`"""


class FacilitatorUnavailableError(ApiError):
    """`facilitator_unavailable`"""


class ChainUnavailableError(ApiError):
    """`chain_unavailable`"""


class ShuttingDownError(ApiError):
    """`shutting_down`"""


class PaymentInProgressError(ApiError):
    """`payment_in_progress`"""


class SettlementUnknownError(ApiError):
    """`settlement_unknown`"""


#: The exception of each code of the API.
error_types: dict[str, type[ApiError]] = {
    "invalid_parameter": InvalidParameterError,
    "invalid_cursor": InvalidCursorError,
    "cursor_expired": CursorExpiredError,
    "malformed_request": MalformedRequestError,
    "invalid_api_key": InvalidApiKeyError,
    "plan_inactive": PlanInactiveError,
    "request_timeout": RequestTimeoutError,
    "expectation_failed": ExpectationFailedError,
    "rate_limited": RateLimitedError,
    "quota_exceeded": QuotaExceededError,
    "too_many_cursors": TooManyCursorsError,
    "headers_too_large": HeadersTooLargeError,
    "search_unavailable": SearchUnavailableError,
    "internal_error": InternalError,
    "service_unavailable": ServiceUnavailableError,
    "overloaded": OverloadedError,
    "not_found": NotFoundError,
    "removals_unknown": RemovalsUnknownError,
    "exceeds_plan": ExceedsPlanError,
    "malformed_body": MalformedBodyError,
    "body_too_large": BodyTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "foreign_origin": ForeignOriginError,
    "paid_search_off": PaidSearchOffError,
    "payment_identifier_used": PaymentIdentifierUsedError,
    "too_many_payments": TooManyPaymentsError,
    "facilitator_unavailable": FacilitatorUnavailableError,
    "chain_unavailable": ChainUnavailableError,
    "shutting_down": ShuttingDownError,
    "payment_in_progress": PaymentInProgressError,
    "settlement_unknown": SettlementUnknownError,
}
