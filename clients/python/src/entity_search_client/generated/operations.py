"""Written by generate.py from the OpenAPI document: do not edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Literal, TypeVar, overload

from pydantic import BaseModel
from typing_extensions import NotRequired, Required, TypedDict

from ..call import Call
from . import models

Answer = TypeVar("Answer", bound=BaseModel)


class SearchParameters(TypedDict, total=False):
    """The arguments of `search`."""

    type: Required[Literal["companies", "people", "investors", "events", "all"]]
    query: NotRequired[str | None]
    page: NotRequired[int | None]
    limit: NotRequired[int | None]
    cursor: NotRequired[str | None]
    country: NotRequired[str | Sequence[str] | None]
    city: NotRequired[str | Sequence[str] | None]
    tag: NotRequired[str | Sequence[str] | None]
    ecosystem: NotRequired[str | Sequence[str] | None]
    company_stage: NotRequired[str | Sequence[str] | None]
    funding_stage: NotRequired[str | Sequence[str] | None]
    founded_from: NotRequired[int | None]
    founded_to: NotRequired[int | None]
    employees_min: NotRequired[int | None]
    employees_max: NotRequired[int | None]
    focus: NotRequired[str | Sequence[str] | None]
    starts_from: NotRequired[date | str | None]
    starts_to: NotRequired[date | str | None]
    event_type: NotRequired[str | Sequence[str] | None]
    online: NotRequired[bool | None]
    company: NotRequired[int | Sequence[int] | None]
    investor: NotRequired[int | Sequence[int] | None]
    updated_since: NotRequired[datetime | str | date | None]
    not_country: NotRequired[str | Sequence[str] | None]
    not_city: NotRequired[str | Sequence[str] | None]
    not_tag: NotRequired[str | Sequence[str] | None]
    not_ecosystem: NotRequired[str | Sequence[str] | None]
    not_company_stage: NotRequired[str | Sequence[str] | None]
    not_funding_stage: NotRequired[str | Sequence[str] | None]
    not_focus: NotRequired[str | Sequence[str] | None]
    not_event_type: NotRequired[str | Sequence[str] | None]
    not_company: NotRequired[int | Sequence[int] | None]
    not_investor: NotRequired[int | Sequence[int] | None]
    sort: NotRequired[
        Literal[
            "relevance",
            "-relevance",
            "name",
            "-name",
            "newest",
            "-newest",
            "founded",
            "-founded",
            "funding",
            "-funding",
            "employees",
            "-employees",
            "starts",
            "-starts",
        ]
        | None
    ]
    facets: NotRequired[str | Sequence[str] | None]
    highlight: NotRequired[bool | None]
    literal: NotRequired[bool | None]
    collapse: NotRequired[Literal["series"] | None]
    fields: NotRequired[str | Sequence[str] | None]


class Operations(ABC):
    """One method per operation of the API."""

    @overload
    def _run(self, call: Call, model: type[Answer]) -> Answer: ...

    @overload
    def _run(self, call: Call, model: None) -> str: ...

    @abstractmethod
    def _run(self, call: Call, model: type[Answer] | None) -> Answer | str: ...

    def search(
        self,
        *,
        type: Literal["companies", "people", "investors", "events", "all"],
        query: str | None = None,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        country: str | Sequence[str] | None = None,
        city: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        ecosystem: str | Sequence[str] | None = None,
        company_stage: str | Sequence[str] | None = None,
        funding_stage: str | Sequence[str] | None = None,
        founded_from: int | None = None,
        founded_to: int | None = None,
        employees_min: int | None = None,
        employees_max: int | None = None,
        focus: str | Sequence[str] | None = None,
        starts_from: date | str | None = None,
        starts_to: date | str | None = None,
        event_type: str | Sequence[str] | None = None,
        online: bool | None = None,
        company: int | Sequence[int] | None = None,
        investor: int | Sequence[int] | None = None,
        updated_since: datetime | str | date | None = None,
        not_country: str | Sequence[str] | None = None,
        not_city: str | Sequence[str] | None = None,
        not_tag: str | Sequence[str] | None = None,
        not_ecosystem: str | Sequence[str] | None = None,
        not_company_stage: str | Sequence[str] | None = None,
        not_funding_stage: str | Sequence[str] | None = None,
        not_focus: str | Sequence[str] | None = None,
        not_event_type: str | Sequence[str] | None = None,
        not_company: int | Sequence[int] | None = None,
        not_investor: int | Sequence[int] | None = None,
        sort: Literal[
            "relevance",
            "-relevance",
            "name",
            "-name",
            "newest",
            "-newest",
            "founded",
            "-founded",
            "funding",
            "-funding",
            "employees",
            "-employees",
            "starts",
            "-starts",
        ]
        | None = None,
        facets: str | Sequence[str] | None = None,
        highlight: bool | None = None,
        literal: bool | None = None,
        collapse: Literal["series"] | None = None,
        fields: str | Sequence[str] | None = None,
    ) -> models.SearchAnswer:
        """Search.

        type: The kind of entities, or all kinds in one list.

        query: Text to search for, or a question in plain English; nothing in it is an operator. Empty,
            blank or *: all entities, the most prominent first. May be called q.

        page: Page times limit may be at most 10,000; for results beyond, follow data.nextCursor. Not
            together with cursor. Default 1.

        limit: Results per page.

        cursor: data.nextCursor of an earlier answer, with all other parameters unchanged and without page.

        country: Country. Several values, repeated or with commas between, are alternatives.

        city: City. Several values, repeated or with commas between, are alternatives.

        tag: Tag. Several values, repeated or with commas between, are alternatives. Only of companies,
            people, events.

        ecosystem: Blockchain ecosystem. Several values, repeated or with commas between, are alternatives.
            Only of companies, events.

        company_stage: Stage of the company. Several values, repeated or with commas between, are
            alternatives. Only of companies.

        funding_stage: Funding stage. Several values, repeated or with commas between, are alternatives.
            Only of companies.

        founded_from: Founded in this year or later. Only of companies.

        founded_to: Founded in this year or earlier. Only of companies.

        employees_min: At least this many employees. Only of companies.

        employees_max: At most this many employees. Only of companies.

        focus: Investment focus. Several values, repeated or with commas between, are alternatives. Only of
            investors.

        starts_from: Starts on this day or later. Only of events.

        starts_to: Starts on this day or earlier. Only of events.

        event_type: Type of event. Several values, repeated or with commas between, are alternatives. Only
            of events.

        online: True for events held online. Only of events.

        company: Id of a company that the person belongs to, or that the investor has invested in. Several
            values, repeated or with commas between, are alternatives. Only of people, investors.

        investor: Id of an investor who has invested in the company. Several values, repeated or with commas
            between, are alternatives. Only of companies.

        updated_since: Changed then or later: a time in ISO 8601 with an offset or Z (write + as %2B), or a
            day.

        not_country: Leaves out what country would find.

        not_city: Leaves out what city would find.

        not_tag: Leaves out what tag would find. Only of companies, people, events.

        not_ecosystem: Leaves out what ecosystem would find. Only of companies, events.

        not_company_stage: Leaves out what company_stage would find. Only of companies.

        not_funding_stage: Leaves out what funding_stage would find. Only of companies.

        not_focus: Leaves out what focus would find. Only of investors.

        not_event_type: Leaves out what event_type would find. Only of events.

        not_company: Leaves out what company would find. Only of people, investors.

        not_investor: Leaves out what investor would find. Only of companies.

        sort: The order; "-" before it reverses. Default relevance.

        facets: Fields to count over all results, as data.facets: the 20 most frequent values of each.

        highlight: Adds matched fragments to items.

        literal: Searches for words like "startups" or "in Berlin" as words only, without understanding
            them.

        collapse: With series, events of a page that are editions of one series are one item: the first of
            them, the others as its editions. A page may have fewer items than limit.

        fields: Fields of the items, instead of the usual ones; id and entity_type are always included.
        """
        return self._run(
            Call(
                "search",
                "GET",
                "/api/v1/search",
                secured=True,
                sold=False,
                path_values={},
                query={
                    "type": type,
                    "query": query,
                    "page": page,
                    "limit": limit,
                    "cursor": cursor,
                    "country": country,
                    "city": city,
                    "tag": tag,
                    "ecosystem": ecosystem,
                    "company_stage": company_stage,
                    "funding_stage": funding_stage,
                    "founded_from": founded_from,
                    "founded_to": founded_to,
                    "employees_min": employees_min,
                    "employees_max": employees_max,
                    "focus": focus,
                    "starts_from": starts_from,
                    "starts_to": starts_to,
                    "event_type": event_type,
                    "online": online,
                    "company": company,
                    "investor": investor,
                    "updated_since": updated_since,
                    "not_country": not_country,
                    "not_city": not_city,
                    "not_tag": not_tag,
                    "not_ecosystem": not_ecosystem,
                    "not_company_stage": not_company_stage,
                    "not_funding_stage": not_funding_stage,
                    "not_focus": not_focus,
                    "not_event_type": not_event_type,
                    "not_company": not_company,
                    "not_investor": not_investor,
                    "sort": sort,
                    "facets": facets,
                    "highlight": highlight,
                    "literal": literal,
                    "collapse": collapse,
                    "fields": fields,
                },
                body=None,
            ),
            models.SearchAnswer,
        )

    def suggest(
        self,
        *,
        q: str | None = None,
        type: Literal["companies", "people", "investors", "events", "all"] | None = None,
        limit: int | None = None,
    ) -> models.SuggestAnswer:
        """Suggest names.

        q: The text typed so far. Empty, blank or *: no suggestions. May be called query.

        type: The kind of entities, or all kinds.

        limit: Maximum number of suggestions.
        """
        return self._run(
            Call(
                "suggest",
                "GET",
                "/api/v1/suggest",
                secured=True,
                sold=False,
                path_values={},
                query={"q": q, "type": type, "limit": limit},
                body=None,
            ),
            models.SuggestAnswer,
        )

    def get_company(self, identifier: int | str, *, fields: str | Sequence[str] | None = None) -> models.CompanyAnswer:
        """Get one company.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return self._run(
            Call(
                "getCompany",
                "GET",
                "/api/v1/companies/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.CompanyAnswer,
        )

    def get_person(self, identifier: int | str, *, fields: str | Sequence[str] | None = None) -> models.PersonAnswer:
        """Get one person.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return self._run(
            Call(
                "getPerson",
                "GET",
                "/api/v1/people/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.PersonAnswer,
        )

    def get_investor(
        self, identifier: int | str, *, fields: str | Sequence[str] | None = None
    ) -> models.InvestorAnswer:
        """Get one investor.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return self._run(
            Call(
                "getInvestor",
                "GET",
                "/api/v1/investors/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.InvestorAnswer,
        )

    def get_event(self, identifier: int | str, *, fields: str | Sequence[str] | None = None) -> models.EventAnswer:
        """Get one event.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return self._run(
            Call(
                "getEvent",
                "GET",
                "/api/v1/events/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.EventAnswer,
        )

    def get_similar_companies(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarCompanyAnswer:
        """Find similar companies.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return self._run(
            Call(
                "getSimilarCompanies",
                "GET",
                "/api/v1/companies/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarCompanyAnswer,
        )

    def get_similar_people(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarPersonAnswer:
        """Find similar people.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return self._run(
            Call(
                "getSimilarPeople",
                "GET",
                "/api/v1/people/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarPersonAnswer,
        )

    def get_similar_investors(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarInvestorAnswer:
        """Find similar investors.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return self._run(
            Call(
                "getSimilarInvestors",
                "GET",
                "/api/v1/investors/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarInvestorAnswer,
        )

    def get_similar_events(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarEventAnswer:
        """Find similar events.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return self._run(
            Call(
                "getSimilarEvents",
                "GET",
                "/api/v1/events/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarEventAnswer,
        )

    def removals(
        self,
        *,
        type: Literal["companies", "people", "investors", "events"],
        cursor: str | None = None,
        limit: int | None = None,
    ) -> models.RemovalsAnswer:
        """List removed entities.

        type: The kind of entities.

        cursor: data.nextCursor of an earlier answer for the same type. Valid for 30 days.

        limit: Maximum number of removals.
        """
        return self._run(
            Call(
                "removals",
                "GET",
                "/api/v1/removals",
                secured=True,
                sold=False,
                path_values={},
                query={"type": type, "cursor": cursor, "limit": limit},
                body=None,
            ),
            models.RemovalsAnswer,
        )

    def bulk(self, request: models.BulkRequest | Mapping[str, object]) -> models.BulkAnswer:
        """Get entities in bulk."""
        return self._run(
            Call("bulk", "POST", "/api/v1/bulk", secured=True, sold=False, path_values={}, query={}, body=request),
            models.BulkAnswer,
        )

    def usage(self) -> models.UsageAnswer:
        """Get limits and usage."""
        return self._run(
            Call("usage", "GET", "/api/v1/usage", secured=True, sold=False, path_values={}, query={}, body=None),
            models.UsageAnswer,
        )

    def health(self, *, detailed: bool | None = None) -> models.HealthReport:
        """Get health.

        detailed: Also tries the routes with real searches. Takes up to 10 s; poll it every 5 to 10 minutes.
        """
        return self._run(
            Call(
                "health",
                "GET",
                "/api/health",
                secured=False,
                sold=False,
                path_values={},
                query={"detailed": detailed},
                body=None,
                statuses=(200, 503),
            ),
            models.HealthReport,
        )

    def paid_search(
        self,
        *,
        q: str | None = None,
        type: Literal["companies", "people", "investors", "all"] | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> models.PaidAnswer:
        """Search, paid per request.

        q: Text to search for. Empty, blank or *: the most prominent entities. May be called query.

        type: The kind of entities; events are not sold.

        limit: Results at most. With all it is divided evenly, the remainder going to companies, then
            people.

        page: Only echoed: page 2 costs the same for the same results.
        """
        return self._run(
            Call(
                "paidSearch",
                "GET",
                "/api/v1/x402/search",
                secured=False,
                sold=True,
                path_values={},
                query={"q": q, "type": type, "limit": limit, "page": page},
                body=None,
            ),
            models.PaidAnswer,
        )

    def open_api(self) -> models.OpenApiDocument:
        """OpenAPI document."""
        return self._run(
            Call("openApi", "GET", "/openapi.json", secured=False, sold=False, path_values={}, query={}, body=None),
            models.OpenApiDocument,
        )

    def docs(self) -> str:
        """API reference."""
        return self._run(
            Call("docs", "GET", "/docs", secured=False, sold=False, path_values={}, query={}, body=None), None
        )

    def llms(self) -> str:
        """Instructions for language models."""
        return self._run(
            Call("llms", "GET", "/llms.txt", secured=False, sold=False, path_values={}, query={}, body=None), None
        )

    def well_known_x402(self) -> models.WellKnownX402:
        """Addresses of paid resources."""
        return self._run(
            Call(
                "wellKnownX402",
                "GET",
                "/.well-known/x402",
                secured=False,
                sold=False,
                path_values={},
                query={},
                body=None,
            ),
            models.WellKnownX402,
        )


class AsyncOperations(ABC):
    """One method per operation of the API."""

    @overload
    async def _run(self, call: Call, model: type[Answer]) -> Answer: ...

    @overload
    async def _run(self, call: Call, model: None) -> str: ...

    @abstractmethod
    async def _run(self, call: Call, model: type[Answer] | None) -> Answer | str: ...

    async def search(
        self,
        *,
        type: Literal["companies", "people", "investors", "events", "all"],
        query: str | None = None,
        page: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        country: str | Sequence[str] | None = None,
        city: str | Sequence[str] | None = None,
        tag: str | Sequence[str] | None = None,
        ecosystem: str | Sequence[str] | None = None,
        company_stage: str | Sequence[str] | None = None,
        funding_stage: str | Sequence[str] | None = None,
        founded_from: int | None = None,
        founded_to: int | None = None,
        employees_min: int | None = None,
        employees_max: int | None = None,
        focus: str | Sequence[str] | None = None,
        starts_from: date | str | None = None,
        starts_to: date | str | None = None,
        event_type: str | Sequence[str] | None = None,
        online: bool | None = None,
        company: int | Sequence[int] | None = None,
        investor: int | Sequence[int] | None = None,
        updated_since: datetime | str | date | None = None,
        not_country: str | Sequence[str] | None = None,
        not_city: str | Sequence[str] | None = None,
        not_tag: str | Sequence[str] | None = None,
        not_ecosystem: str | Sequence[str] | None = None,
        not_company_stage: str | Sequence[str] | None = None,
        not_funding_stage: str | Sequence[str] | None = None,
        not_focus: str | Sequence[str] | None = None,
        not_event_type: str | Sequence[str] | None = None,
        not_company: int | Sequence[int] | None = None,
        not_investor: int | Sequence[int] | None = None,
        sort: Literal[
            "relevance",
            "-relevance",
            "name",
            "-name",
            "newest",
            "-newest",
            "founded",
            "-founded",
            "funding",
            "-funding",
            "employees",
            "-employees",
            "starts",
            "-starts",
        ]
        | None = None,
        facets: str | Sequence[str] | None = None,
        highlight: bool | None = None,
        literal: bool | None = None,
        collapse: Literal["series"] | None = None,
        fields: str | Sequence[str] | None = None,
    ) -> models.SearchAnswer:
        """Search.

        type: The kind of entities, or all kinds in one list.

        query: Text to search for, or a question in plain English; nothing in it is an operator. Empty,
            blank or *: all entities, the most prominent first. May be called q.

        page: Page times limit may be at most 10,000; for results beyond, follow data.nextCursor. Not
            together with cursor. Default 1.

        limit: Results per page.

        cursor: data.nextCursor of an earlier answer, with all other parameters unchanged and without page.

        country: Country. Several values, repeated or with commas between, are alternatives.

        city: City. Several values, repeated or with commas between, are alternatives.

        tag: Tag. Several values, repeated or with commas between, are alternatives. Only of companies,
            people, events.

        ecosystem: Blockchain ecosystem. Several values, repeated or with commas between, are alternatives.
            Only of companies, events.

        company_stage: Stage of the company. Several values, repeated or with commas between, are
            alternatives. Only of companies.

        funding_stage: Funding stage. Several values, repeated or with commas between, are alternatives.
            Only of companies.

        founded_from: Founded in this year or later. Only of companies.

        founded_to: Founded in this year or earlier. Only of companies.

        employees_min: At least this many employees. Only of companies.

        employees_max: At most this many employees. Only of companies.

        focus: Investment focus. Several values, repeated or with commas between, are alternatives. Only of
            investors.

        starts_from: Starts on this day or later. Only of events.

        starts_to: Starts on this day or earlier. Only of events.

        event_type: Type of event. Several values, repeated or with commas between, are alternatives. Only
            of events.

        online: True for events held online. Only of events.

        company: Id of a company that the person belongs to, or that the investor has invested in. Several
            values, repeated or with commas between, are alternatives. Only of people, investors.

        investor: Id of an investor who has invested in the company. Several values, repeated or with commas
            between, are alternatives. Only of companies.

        updated_since: Changed then or later: a time in ISO 8601 with an offset or Z (write + as %2B), or a
            day.

        not_country: Leaves out what country would find.

        not_city: Leaves out what city would find.

        not_tag: Leaves out what tag would find. Only of companies, people, events.

        not_ecosystem: Leaves out what ecosystem would find. Only of companies, events.

        not_company_stage: Leaves out what company_stage would find. Only of companies.

        not_funding_stage: Leaves out what funding_stage would find. Only of companies.

        not_focus: Leaves out what focus would find. Only of investors.

        not_event_type: Leaves out what event_type would find. Only of events.

        not_company: Leaves out what company would find. Only of people, investors.

        not_investor: Leaves out what investor would find. Only of companies.

        sort: The order; "-" before it reverses. Default relevance.

        facets: Fields to count over all results, as data.facets: the 20 most frequent values of each.

        highlight: Adds matched fragments to items.

        literal: Searches for words like "startups" or "in Berlin" as words only, without understanding
            them.

        collapse: With series, events of a page that are editions of one series are one item: the first of
            them, the others as its editions. A page may have fewer items than limit.

        fields: Fields of the items, instead of the usual ones; id and entity_type are always included.
        """
        return await self._run(
            Call(
                "search",
                "GET",
                "/api/v1/search",
                secured=True,
                sold=False,
                path_values={},
                query={
                    "type": type,
                    "query": query,
                    "page": page,
                    "limit": limit,
                    "cursor": cursor,
                    "country": country,
                    "city": city,
                    "tag": tag,
                    "ecosystem": ecosystem,
                    "company_stage": company_stage,
                    "funding_stage": funding_stage,
                    "founded_from": founded_from,
                    "founded_to": founded_to,
                    "employees_min": employees_min,
                    "employees_max": employees_max,
                    "focus": focus,
                    "starts_from": starts_from,
                    "starts_to": starts_to,
                    "event_type": event_type,
                    "online": online,
                    "company": company,
                    "investor": investor,
                    "updated_since": updated_since,
                    "not_country": not_country,
                    "not_city": not_city,
                    "not_tag": not_tag,
                    "not_ecosystem": not_ecosystem,
                    "not_company_stage": not_company_stage,
                    "not_funding_stage": not_funding_stage,
                    "not_focus": not_focus,
                    "not_event_type": not_event_type,
                    "not_company": not_company,
                    "not_investor": not_investor,
                    "sort": sort,
                    "facets": facets,
                    "highlight": highlight,
                    "literal": literal,
                    "collapse": collapse,
                    "fields": fields,
                },
                body=None,
            ),
            models.SearchAnswer,
        )

    async def suggest(
        self,
        *,
        q: str | None = None,
        type: Literal["companies", "people", "investors", "events", "all"] | None = None,
        limit: int | None = None,
    ) -> models.SuggestAnswer:
        """Suggest names.

        q: The text typed so far. Empty, blank or *: no suggestions. May be called query.

        type: The kind of entities, or all kinds.

        limit: Maximum number of suggestions.
        """
        return await self._run(
            Call(
                "suggest",
                "GET",
                "/api/v1/suggest",
                secured=True,
                sold=False,
                path_values={},
                query={"q": q, "type": type, "limit": limit},
                body=None,
            ),
            models.SuggestAnswer,
        )

    async def get_company(
        self, identifier: int | str, *, fields: str | Sequence[str] | None = None
    ) -> models.CompanyAnswer:
        """Get one company.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return await self._run(
            Call(
                "getCompany",
                "GET",
                "/api/v1/companies/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.CompanyAnswer,
        )

    async def get_person(
        self, identifier: int | str, *, fields: str | Sequence[str] | None = None
    ) -> models.PersonAnswer:
        """Get one person.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return await self._run(
            Call(
                "getPerson",
                "GET",
                "/api/v1/people/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.PersonAnswer,
        )

    async def get_investor(
        self, identifier: int | str, *, fields: str | Sequence[str] | None = None
    ) -> models.InvestorAnswer:
        """Get one investor.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return await self._run(
            Call(
                "getInvestor",
                "GET",
                "/api/v1/investors/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.InvestorAnswer,
        )

    async def get_event(
        self, identifier: int | str, *, fields: str | Sequence[str] | None = None
    ) -> models.EventAnswer:
        """Get one event.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        fields: Fields of the record, instead of all; id is always there.
        """
        return await self._run(
            Call(
                "getEvent",
                "GET",
                "/api/v1/events/{identifier}",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"fields": fields},
                body=None,
            ),
            models.EventAnswer,
        )

    async def get_similar_companies(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarCompanyAnswer:
        """Find similar companies.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return await self._run(
            Call(
                "getSimilarCompanies",
                "GET",
                "/api/v1/companies/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarCompanyAnswer,
        )

    async def get_similar_people(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarPersonAnswer:
        """Find similar people.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return await self._run(
            Call(
                "getSimilarPeople",
                "GET",
                "/api/v1/people/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarPersonAnswer,
        )

    async def get_similar_investors(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarInvestorAnswer:
        """Find similar investors.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return await self._run(
            Call(
                "getSimilarInvestors",
                "GET",
                "/api/v1/investors/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarInvestorAnswer,
        )

    async def get_similar_events(
        self, identifier: int | str, *, limit: int | None = None, fields: str | Sequence[str] | None = None
    ) -> models.SimilarEventAnswer:
        """Find similar events.

        identifier: An id or a slug. A whole number is read as an id, and as a slug if no entity has that
            id.

        limit: Maximum number of results.

        fields: Fields of the items, instead of the usual ones; id, entity_type, shared and matchedBy are
            always included.
        """
        return await self._run(
            Call(
                "getSimilarEvents",
                "GET",
                "/api/v1/events/{identifier}/similar",
                secured=True,
                sold=False,
                path_values={"identifier": identifier},
                query={"limit": limit, "fields": fields},
                body=None,
            ),
            models.SimilarEventAnswer,
        )

    async def removals(
        self,
        *,
        type: Literal["companies", "people", "investors", "events"],
        cursor: str | None = None,
        limit: int | None = None,
    ) -> models.RemovalsAnswer:
        """List removed entities.

        type: The kind of entities.

        cursor: data.nextCursor of an earlier answer for the same type. Valid for 30 days.

        limit: Maximum number of removals.
        """
        return await self._run(
            Call(
                "removals",
                "GET",
                "/api/v1/removals",
                secured=True,
                sold=False,
                path_values={},
                query={"type": type, "cursor": cursor, "limit": limit},
                body=None,
            ),
            models.RemovalsAnswer,
        )

    async def bulk(self, request: models.BulkRequest | Mapping[str, object]) -> models.BulkAnswer:
        """Get entities in bulk."""
        return await self._run(
            Call("bulk", "POST", "/api/v1/bulk", secured=True, sold=False, path_values={}, query={}, body=request),
            models.BulkAnswer,
        )

    async def usage(self) -> models.UsageAnswer:
        """Get limits and usage."""
        return await self._run(
            Call("usage", "GET", "/api/v1/usage", secured=True, sold=False, path_values={}, query={}, body=None),
            models.UsageAnswer,
        )

    async def health(self, *, detailed: bool | None = None) -> models.HealthReport:
        """Get health.

        detailed: Also tries the routes with real searches. Takes up to 10 s; poll it every 5 to 10 minutes.
        """
        return await self._run(
            Call(
                "health",
                "GET",
                "/api/health",
                secured=False,
                sold=False,
                path_values={},
                query={"detailed": detailed},
                body=None,
                statuses=(200, 503),
            ),
            models.HealthReport,
        )

    async def paid_search(
        self,
        *,
        q: str | None = None,
        type: Literal["companies", "people", "investors", "all"] | None = None,
        limit: int | None = None,
        page: int | None = None,
    ) -> models.PaidAnswer:
        """Search, paid per request.

        q: Text to search for. Empty, blank or *: the most prominent entities. May be called query.

        type: The kind of entities; events are not sold.

        limit: Results at most. With all it is divided evenly, the remainder going to companies, then
            people.

        page: Only echoed: page 2 costs the same for the same results.
        """
        return await self._run(
            Call(
                "paidSearch",
                "GET",
                "/api/v1/x402/search",
                secured=False,
                sold=True,
                path_values={},
                query={"q": q, "type": type, "limit": limit, "page": page},
                body=None,
            ),
            models.PaidAnswer,
        )

    async def open_api(self) -> models.OpenApiDocument:
        """OpenAPI document."""
        return await self._run(
            Call("openApi", "GET", "/openapi.json", secured=False, sold=False, path_values={}, query={}, body=None),
            models.OpenApiDocument,
        )

    async def docs(self) -> str:
        """API reference."""
        return await self._run(
            Call("docs", "GET", "/docs", secured=False, sold=False, path_values={}, query={}, body=None), None
        )

    async def llms(self) -> str:
        """Instructions for language models."""
        return await self._run(
            Call("llms", "GET", "/llms.txt", secured=False, sold=False, path_values={}, query={}, body=None), None
        )

    async def well_known_x402(self) -> models.WellKnownX402:
        """Addresses of paid resources."""
        return await self._run(
            Call(
                "wellKnownX402",
                "GET",
                "/.well-known/x402",
                secured=False,
                sold=False,
                path_values={},
                query={},
                body=None,
            ),
            models.WellKnownX402,
        )
