"""Written by generate.py from the OpenAPI document: do not edit."""

from ..errors import ApiError

__all__ = [
    "error_types",
    "CursorExpiredError",
    "ExceedsPlanError",
    "InvalidCursorError",
    "InvalidParameterError",
    "MalformedBodyError",
    "MalformedRequestError",
    "RemovalsUnknownError",
    "InvalidApiKeyError",
    "ForeignOriginError",
    "PlanInactiveError",
    "RequestTimeoutError",
    "ExpectationFailedError",
    "QuotaExceededError",
    "RateLimitedError",
    "TooManyCursorsError",
    "TooManyPaymentsError",
    "HeadersTooLargeError",
    "InternalError",
    "SearchUnavailableError",
    "ChainUnavailableError",
    "FacilitatorUnavailableError",
    "OverloadedError",
    "PaymentInProgressError",
    "ServiceUnavailableError",
    "SettlementUnknownError",
    "ShuttingDownError",
    "NotFoundError",
    "PaidSearchOffError",
    "BodyTooLargeError",
    "UnsupportedMediaTypeError",
    "PaymentIdentifierUsedError",
]


class CursorExpiredError(ApiError):
    """`cursor_expired`"""


class ExceedsPlanError(ApiError):
    """`exceeds_plan`"""


class InvalidCursorError(ApiError):
    """`invalid_cursor`"""


class InvalidParameterError(ApiError):
    """`invalid_parameter`"""


class MalformedBodyError(ApiError):
    """`malformed_body`"""


class MalformedRequestError(ApiError):
    """`malformed_request`"""


class RemovalsUnknownError(ApiError):
    """`removals_unknown`"""


class InvalidApiKeyError(ApiError):
    """`invalid_api_key`"""


class ForeignOriginError(ApiError):
    """`foreign_origin`"""


class PlanInactiveError(ApiError):
    """`plan_inactive`"""


class RequestTimeoutError(ApiError):
    """`request_timeout`"""


class ExpectationFailedError(ApiError):
    """`expectation_failed`"""


class QuotaExceededError(ApiError):
    """`quota_exceeded`"""


class RateLimitedError(ApiError):
    """`rate_limited`"""


class TooManyCursorsError(ApiError):
    """`too_many_cursors`"""


class TooManyPaymentsError(ApiError):
    """`too_many_payments`"""


class HeadersTooLargeError(ApiError):
    """`headers_too_large`"""


class InternalError(ApiError):
    """`internal_error`"""


class SearchUnavailableError(ApiError):
    """`search_unavailable`"""


class ChainUnavailableError(ApiError):
    """`chain_unavailable`"""


class FacilitatorUnavailableError(ApiError):
    """`facilitator_unavailable`"""


class OverloadedError(ApiError):
    """`overloaded`"""


class PaymentInProgressError(ApiError):
    """`payment_in_progress`"""


class ServiceUnavailableError(ApiError):
    """`service_unavailable`"""


class SettlementUnknownError(ApiError):
    """`settlement_unknown`"""


class ShuttingDownError(ApiError):
    """`shutting_down`"""


class NotFoundError(ApiError):
    """`not_found`"""


class PaidSearchOffError(ApiError):
    """`paid_search_off`"""


class BodyTooLargeError(ApiError):
    """`body_too_large`"""


class UnsupportedMediaTypeError(ApiError):
    """`unsupported_media_type`"""


class PaymentIdentifierUsedError(ApiError):
    """`payment_identifier_used`"""


#: The exception of each code of the API.
error_types: dict[str, type[ApiError]] = {
    "cursor_expired": CursorExpiredError,
    "exceeds_plan": ExceedsPlanError,
    "invalid_cursor": InvalidCursorError,
    "invalid_parameter": InvalidParameterError,
    "malformed_body": MalformedBodyError,
    "malformed_request": MalformedRequestError,
    "removals_unknown": RemovalsUnknownError,
    "invalid_api_key": InvalidApiKeyError,
    "foreign_origin": ForeignOriginError,
    "plan_inactive": PlanInactiveError,
    "request_timeout": RequestTimeoutError,
    "expectation_failed": ExpectationFailedError,
    "quota_exceeded": QuotaExceededError,
    "rate_limited": RateLimitedError,
    "too_many_cursors": TooManyCursorsError,
    "too_many_payments": TooManyPaymentsError,
    "headers_too_large": HeadersTooLargeError,
    "internal_error": InternalError,
    "search_unavailable": SearchUnavailableError,
    "chain_unavailable": ChainUnavailableError,
    "facilitator_unavailable": FacilitatorUnavailableError,
    "overloaded": OverloadedError,
    "payment_in_progress": PaymentInProgressError,
    "service_unavailable": ServiceUnavailableError,
    "settlement_unknown": SettlementUnknownError,
    "shutting_down": ShuttingDownError,
    "not_found": NotFoundError,
    "paid_search_off": PaidSearchOffError,
    "body_too_large": BodyTooLargeError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "payment_identifier_used": PaymentIdentifierUsedError,
}
