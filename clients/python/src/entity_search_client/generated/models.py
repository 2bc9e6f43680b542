"""Written by generate.py from the OpenAPI document: do not edit."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType


class Location(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    city: str | None
    country: str | None


class EntityReference(BaseModel):
    """
    An entity of another kind. Id and slug are null where it is not in the database
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int | None
    name: str
    slug: str | None


class RoleCompany(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str
    slug: str


class Role(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    title: str | None
    organisation: str | None
    detail: str | None
    company: RoleCompany | None


EntityKind = TypeAliasType("EntityKind", Literal["companies", "people", "investors", "events"] | str)


class Meta(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    request_id: str = Field(..., alias="requestId")
    """
    The same as the header X-Request-Id
    """
    timestamp: AwareDatetime
    version: Literal["v1"]


class Problem(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    path: str
    """
    The parameter, or the place in the body
    """
    message: str


class Error(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    error: str
    """
    The problem and the next step, for people
    """
    code: str
    """
    Stable, for programs
    """
    details: list[Problem] | None = None
    """
    All problems with the parameters or the body at once
    """


class Company(BaseModel):
    """
    One of the companies. It has all fields unless "fields" selects some; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    tagline: str | None = None
    overview: str | None = None
    total_employees: int | None = None
    employee_count: int | None = None
    year_founded: int | None = None
    founded_date: date | None = None
    website: str | None = None
    tags: list[str] | None = None
    location_json: Location | None = None
    company_stage: str | None = None
    funding_stage: str | None = None
    total_funding_usd: str | None = None
    is_verified: bool | None = None
    aliases: list[str] | None = None
    former_names: list[str] | None = None
    tickers: list[str] | None = None
    ecosystems: list[str] | None = None
    investors: list[str] | None = None
    investor_references: list[EntityReference] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None


class Person(BaseModel):
    """
    One of the people. It has all fields unless "fields" selects some; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    headline: str | None = None
    overview: str | None = None
    roles: list[Role] | None = None
    companies: list[str] | None = None
    company_references: list[EntityReference] | None = None
    events: list[str] | None = None
    event_references: list[EntityReference] | None = None
    proposals: list[str] | None = None
    tags: list[str] | None = None
    aliases: list[str] | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None


class Investor(BaseModel):
    """
    One of the investors. It has all fields unless "fields" selects some; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    investor_type: str | None = None
    investment_focus: list[str] | None = None
    investment_stages: list[str] | None = None
    ticket_size: str | None = None
    portfolio_companies: list[EntityReference] | None = None
    portfolio_count: int | None = None
    location_json: Location | None = None
    aliases: list[str] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None


class Event(BaseModel):
    """
    One of the events. It has all fields unless "fields" selects some; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    year: int | None = None
    venue: str | None = None
    organizer: str | None = None
    event_types: list[str] | None = None
    tags: list[str] | None = None
    ecosystems: list[str] | None = None
    is_online: bool | None = None
    capacity: int | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None


class Highlight(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    names: list[str] | None = None
    overview: list[str] | None = None
    short: list[str] | None = None
    tags: list[str] | None = None
    relations: list[str] | None = None
    place: list[str] | None = None


class Edition(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str
    slug: str
    year: int | None
    start_date: date | None


class CompanyItem(BaseModel):
    """
    An item of the companies. Without "fields" it has id, name, slug, logo, overview, total_employees, year_founded, website, tags, location_json; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    tagline: str | None = None
    overview: str | None = None
    total_employees: int | None = None
    employee_count: int | None = None
    year_founded: int | None = None
    founded_date: date | None = None
    website: str | None = None
    tags: list[str] | None = None
    location_json: Location | None = None
    company_stage: str | None = None
    funding_stage: str | None = None
    total_funding_usd: str | None = None
    is_verified: bool | None = None
    aliases: list[str] | None = None
    former_names: list[str] | None = None
    tickers: list[str] | None = None
    ecosystems: list[str] | None = None
    investors: list[str] | None = None
    investor_references: list[EntityReference] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["companies"]
    highlight: Highlight | None = None
    """
    Matched fragments by field, the matches in <em>, all else escaped for HTML
    """


class PersonItem(BaseModel):
    """
    An item of the people. Without "fields" it has id, name, slug, logo, headline, overview, roles, companies, events, proposals, tags, aliases, location_json, links; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    headline: str | None = None
    overview: str | None = None
    roles: list[Role] | None = None
    companies: list[str] | None = None
    company_references: list[EntityReference] | None = None
    events: list[str] | None = None
    event_references: list[EntityReference] | None = None
    proposals: list[str] | None = None
    tags: list[str] | None = None
    aliases: list[str] | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["people"]
    highlight: Highlight | None = None
    """
    Matched fragments by field, the matches in <em>, all else escaped for HTML
    """


class InvestorItem(BaseModel):
    """
    An item of the investors. Without "fields" it has id, name, slug, logo, overview, website, investor_type, investment_focus, investment_stages, ticket_size, portfolio_companies, portfolio_count, location_json, aliases, links; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    investor_type: str | None = None
    investment_focus: list[str] | None = None
    investment_stages: list[str] | None = None
    ticket_size: str | None = None
    portfolio_companies: list[EntityReference] | None = None
    portfolio_count: int | None = None
    location_json: Location | None = None
    aliases: list[str] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["investors"]
    highlight: Highlight | None = None
    """
    Matched fragments by field, the matches in <em>, all else escaped for HTML
    """


class EventItem(BaseModel):
    """
    An item of the events. Without "fields" it has id, name, slug, logo, overview, website, start_date, end_date, year, venue, organizer, event_types, tags, ecosystems, is_online, capacity, location_json, links; a field without a value is null.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    year: int | None = None
    venue: str | None = None
    organizer: str | None = None
    event_types: list[str] | None = None
    tags: list[str] | None = None
    ecosystems: list[str] | None = None
    is_online: bool | None = None
    capacity: int | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["events"]
    highlight: Highlight | None = None
    """
    Matched fragments by field, the matches in <em>, all else escaped for HTML
    """
    editions: list[Edition] | None = None
    """
    With collapse=series: the other events of its series on this page, the newest first
    """


Item = TypeAliasType(
    "Item",
    Annotated[
        CompanyItem | PersonItem | InvestorItem | EventItem,
        Field(..., discriminator="entity_type"),
    ],
)


class FacetValue(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    value: str
    count: int


class BooleanFacetValue(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    value: bool
    count: int


class UnderstoodPlace(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    text: str
    countries: list[str]
    cities: list[str]


class UnderstoodPart(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    as_: (
        Literal[
            "kind",
            "relation",
            "like",
            "without",
            "place",
            "time",
            "online",
            "chain",
            "order",
            "amount",
            "ignored",
            "words",
        ]
        | str
    ) = Field(..., alias="as")
    text: str
    met: bool
    """
    True if every result of the page meets it
    """


class UnderstoodChains(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    text: str
    names: list[str]
    """
    In the spelling of the data
    """


class UnderstoodRelation(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    role: Literal["founder", "investor", "portfolio", "speaker", "member", "author", "organizer", "ceo"] | str
    of: str
    """
    The other entity; empty for any: "founded a company"
    """
    or_: list[str] = Field(..., alias="or")
    """
    Alternatives to it
    """


class UnderstoodTime(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    about: Literal["starts", "founded"] | str
    from_: date | None = Field(..., alias="from")
    until: date | None
    yearly: bool
    """
    "in september": of every year
    """
    text: str


class UnderstoodAmountsItem(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    about: Literal["employees", "funding", "investors", "proposals", "portfolio", "capacity"] | str
    of: str | None
    """
    Series of the counted proposals, such as "eip"; null for all
    """
    from_: float | None = Field(..., alias="from")
    until: float | None
    text: str


UnderstoodOrder = TypeAliasType(
    "UnderstoodOrder",
    Annotated[
        Literal["newest", "oldest", "soonest"] | str,
        Field(..., title="UnderstoodOrder"),
    ],
)


class Understood(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    words: str
    """
    The remaining words to search for; empty for none
    """
    kinds: list[EntityKind]
    """
    Requested kinds: "startups", "who", "hackathon"
    """
    relation: UnderstoodRelation | None
    """
    "investors of arbitrum": with people and investors, `of` is the company or event; else the person
    """
    like: str | None
    """
    "alternatives to ledger": the entity whose neighbours are requested
    """
    also: list[UnderstoodRelation]
    """
    "who backed both aave and uniswap": further relations that hold
    """
    without: list[str]
    """
    "other than uniswap", "not in berlin": excluded names, topics and conditions
    """
    places: list[UnderstoodPlace]
    """
    All hold; the countries and cities of one are alternatives
    """
    time: UnderstoodTime | None
    """
    When events start or companies were founded: from this day on, and before that day
    """
    online: bool | None
    chains: list[UnderstoodChains]
    """
    All hold; the names of one are alternatives
    """
    amounts: list[UnderstoodAmountsItem]
    """
    At least `from`, and less than `until`. Funding is in US dollars
    """
    order: UnderstoodOrder | None
    parts: list[UnderstoodPart]
    """
    The understood parts of the query, from left to right
    """
    relaxed: list[Literal["known", "words", "amount", "time", "online", "place", "chain", "also", "relation"] | str]
    """
    Conditions that were left out, because nothing meets all of them
    """
    note: str | None
    """
    Describes them in a sentence
    """


class SearchAnswerDataFacets(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    country: list[FacetValue] | None = None
    city: list[FacetValue] | None = None
    tag: list[FacetValue] | None = None
    ecosystem: list[FacetValue] | None = None
    company_stage: list[FacetValue] | None = None
    funding_stage: list[FacetValue] | None = None
    focus: list[FacetValue] | None = None
    event_type: list[FacetValue] | None = None
    online: list[BooleanFacetValue] | None = None
    entity_type: list[FacetValue] | None = None


class SearchAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[Item]
    total_results: int = Field(..., alias="totalResults")
    """
    Exact
    """
    total_pages: int = Field(..., alias="totalPages")
    page: int
    limit: int
    matched_by: Literal["strict", "tolerant", "semantic"] | str = Field(..., alias="matchedBy")
    """
    "tolerant": similar spellings were allowed; "semantic": guesses, the nearest in meaning or in what they share
    """
    understood: Understood | None
    """
    Null if the query is only searched for as words, or is a name
    """
    next_cursor: str | None = Field(..., alias="nextCursor")
    """
    Value of the parameter "cursor" for the next page; null on the last page
    """
    facets: SearchAnswerDataFacets | None = None


class SearchAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SearchAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class Suggestion(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: EntityKind
    id: int
    name: str
    slug: str
    logo: str | None


class SuggestAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    suggestions: list[Suggestion]


class SuggestAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SuggestAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class UsageAnswerDataLimits(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    calls_per_minute: int | None
    """
    Null: no limit
    """
    calls_per_month: int | None
    """
    Null: no limit
    """


class UsageAnswerDataUsed(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    this_minute: int
    today: int
    this_month: int


class UsageAnswerDataResetsInSeconds(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    minute: int
    month: int


class UsageAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    plan: str
    limits: UsageAnswerDataLimits
    used: UsageAnswerDataUsed
    resets_in_seconds: UsageAnswerDataResetsInSeconds


class UsageAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: UsageAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


BulkKind = TypeAliasType("BulkKind", Literal["companies", "people", "investors", "events"])


class BulkFailure(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: BulkKind
    error: str


class Existence(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int | None
    """
    Null for a slug that nothing has
    """
    slug: str | None = None
    """
    There when slugs were sent
    """
    exists: bool


class ExistingCount(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    count: int | None


class BulkGetResults(BaseModel):
    """
    One key: the entity_type
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    companies: list[Company] | None = None
    people: list[Person] | None = None
    investors: list[Investor] | None = None
    events: list[Event] | None = None


class BulkGetMetadata(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    processed_at: AwareDatetime
    processing_time_ms: int
    """
    Milliseconds
    """


class BulkGet(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["get"]
    entity_type: BulkKind
    requested_count: int
    errors: list[BulkFailure] | None = None
    """
    There when the entities could not be fetched
    """
    results: BulkGetResults
    metadata: BulkGetMetadata


class BulkExistsResults(BaseModel):
    """
    One key: the entity_type
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    companies: list[Existence] | None = None
    people: list[Existence] | None = None
    investors: list[Existence] | None = None
    events: list[Existence] | None = None


class BulkExists(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["exists"]
    entity_type: BulkKind
    requested_count: int
    errors: list[BulkFailure] | None = None
    """
    There when the entities could not be fetched
    """
    results: BulkExistsResults


class BulkCountResults(BaseModel):
    """
    One key: the entity_type; the count is null where it could not be made
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    companies: ExistingCount | None = None
    people: ExistingCount | None = None
    investors: ExistingCount | None = None
    events: ExistingCount | None = None


class BulkCount(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["count"]
    entity_type: BulkKind
    requested_count: int
    errors: list[BulkFailure] | None = None
    """
    There when the entities could not be fetched
    """
    results: BulkCountResults


class BulkAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: BulkGet | BulkExists | BulkCount = Field(..., discriminator="operation")
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class CompanyAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: Company
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class PersonAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: Person
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class InvestorAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: Investor
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class EventAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: Event
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class SimilarCompanyShared(BaseModel):
    """
    Shared values, spelt as in the given entity; properties without shared values are absent
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    tags: list[str] | None = None
    ecosystems: list[str] | None = None
    investors: list[str] | None = None


class SimilarCompany(BaseModel):
    """
    A similar entity. Without "fields" it has id, name, slug, logo, overview, total_employees, year_founded, website, tags, location_json, shared and matchedBy.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    tagline: str | None = None
    overview: str | None = None
    total_employees: int | None = None
    employee_count: int | None = None
    year_founded: int | None = None
    founded_date: date | None = None
    website: str | None = None
    tags: list[str] | None = None
    location_json: Location | None = None
    company_stage: str | None = None
    funding_stage: str | None = None
    total_funding_usd: str | None = None
    is_verified: bool | None = None
    aliases: list[str] | None = None
    former_names: list[str] | None = None
    tickers: list[str] | None = None
    ecosystems: list[str] | None = None
    investors: list[str] | None = None
    investor_references: list[EntityReference] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["companies"]
    shared: SimilarCompanyShared
    matched_by: Literal["shared", "words", "semantic"] | str = Field(..., alias="matchedBy")
    """
    "shared": by the listed values; "words": by rare words of its texts; "semantic": a guess, its text is only near in meaning
    """


class SimilarCompanyAnswerDataOf(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: Literal["companies"]
    id: int
    name: str


class SimilarCompanyAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[SimilarCompany]
    of: SimilarCompanyAnswerDataOf


class SimilarCompanyAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SimilarCompanyAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class SimilarPersonShared(BaseModel):
    """
    Shared values, spelt as in the given entity; properties without shared values are absent
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    tags: list[str] | None = None
    companies: list[str] | None = None
    events: list[str] | None = None


class SimilarPerson(BaseModel):
    """
    A similar entity. Without "fields" it has id, name, slug, logo, headline, overview, roles, companies, events, proposals, tags, aliases, location_json, links, shared and matchedBy.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    headline: str | None = None
    overview: str | None = None
    roles: list[Role] | None = None
    companies: list[str] | None = None
    company_references: list[EntityReference] | None = None
    events: list[str] | None = None
    event_references: list[EntityReference] | None = None
    proposals: list[str] | None = None
    tags: list[str] | None = None
    aliases: list[str] | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["people"]
    shared: SimilarPersonShared
    matched_by: Literal["shared", "words", "semantic"] | str = Field(..., alias="matchedBy")
    """
    "shared": by the listed values; "words": by rare words of its texts; "semantic": a guess, its text is only near in meaning
    """


class SimilarPersonAnswerDataOf(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: Literal["people"]
    id: int
    name: str


class SimilarPersonAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[SimilarPerson]
    of: SimilarPersonAnswerDataOf


class SimilarPersonAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SimilarPersonAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class SimilarInvestorShared(BaseModel):
    """
    Shared values, spelt as in the given entity; properties without shared values are absent
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    investment_focus: list[str] | None = None
    companies: list[str] | None = None
    investment_stages: list[str] | None = None
    investor_type: list[str] | None = None


class SimilarInvestor(BaseModel):
    """
    A similar entity. Without "fields" it has id, name, slug, logo, overview, website, investor_type, investment_focus, investment_stages, ticket_size, portfolio_companies, portfolio_count, location_json, aliases, links, shared and matchedBy.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    investor_type: str | None = None
    investment_focus: list[str] | None = None
    investment_stages: list[str] | None = None
    ticket_size: str | None = None
    portfolio_companies: list[EntityReference] | None = None
    portfolio_count: int | None = None
    location_json: Location | None = None
    aliases: list[str] | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["investors"]
    shared: SimilarInvestorShared
    matched_by: Literal["shared", "words", "semantic"] | str = Field(..., alias="matchedBy")
    """
    "shared": by the listed values; "words": by rare words of its texts; "semantic": a guess, its text is only near in meaning
    """


class SimilarInvestorAnswerDataOf(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: Literal["investors"]
    id: int
    name: str


class SimilarInvestorAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[SimilarInvestor]
    of: SimilarInvestorAnswerDataOf


class SimilarInvestorAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SimilarInvestorAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class SimilarEventShared(BaseModel):
    """
    Shared values, spelt as in the given entity; properties without shared values are absent
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    tags: list[str] | None = None
    event_types: list[str] | None = None
    ecosystems: list[str] | None = None
    country: list[str] | None = None


class SimilarEvent(BaseModel):
    """
    A similar entity. Without "fields" it has id, name, slug, logo, overview, website, start_date, end_date, year, venue, organizer, event_types, tags, ecosystems, is_online, capacity, location_json, links, shared and matchedBy.
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str | None = None
    slug: str | None = None
    logo: str | None = None
    overview: str | None = None
    website: str | None = None
    start_date: date | None = None
    end_date: date | None = None
    year: int | None = None
    venue: str | None = None
    organizer: str | None = None
    event_types: list[str] | None = None
    tags: list[str] | None = None
    ecosystems: list[str] | None = None
    is_online: bool | None = None
    capacity: int | None = None
    location_json: Location | None = None
    links: dict[str, str] | None = None
    updated_at: AwareDatetime | None = None
    entity_type: Literal["events"]
    shared: SimilarEventShared
    matched_by: Literal["shared", "words", "semantic"] | str = Field(..., alias="matchedBy")
    """
    "shared": by the listed values; "words": by rare words of its texts; "semantic": a guess, its text is only near in meaning
    """


class SimilarEventAnswerDataOf(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: Literal["events"]
    id: int
    name: str


class SimilarEventAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[SimilarEvent]
    of: SimilarEventAnswerDataOf


class SimilarEventAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: SimilarEventAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


class EndpointCheck(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    name: str
    status: Literal["operational", "error"] | str
    response_time: int = Field(..., alias="responseTime")
    """
    Milliseconds
    """


class HealthReportServices(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    database: Literal["operational", "error"] | str
    api: Literal["operational", "error"] | str


class HealthReportDiagnosticsApiRoutes(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    status: Literal["operational", "error"] | str
    operational: bool


class HealthReportDiagnosticsEmbeddings(BaseModel):
    """
    Availability of vectors for queries. Without them, searches use words only
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    state: Literal["off", "ready", "unavailable"] | str
    model: str | None = None
    """
    The one that makes them; not with off
    """


class HealthReportDiagnosticsIndexLag(BaseModel):
    """
    Seconds by which a kind's index is behind the tables; kinds with an unknown lag are absent
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    companies: float | None = None
    people: float | None = None
    investors: float | None = None
    events: float | None = None


class HealthReportDiagnostics(BaseModel):
    """
    With detailed=true
    """

    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    api_routes: HealthReportDiagnosticsApiRoutes = Field(..., alias="apiRoutes")
    embeddings: HealthReportDiagnosticsEmbeddings
    index_lag: HealthReportDiagnosticsIndexLag | None = Field(None, alias="indexLag")


class HealthReport(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    status: Literal["operational", "error"] | str
    operational: bool | None = None
    """
    With detailed=true
    """
    timestamp: AwareDatetime
    response_time: int = Field(..., alias="responseTime")
    """
    Milliseconds
    """
    services: HealthReportServices
    diagnostics: HealthReportDiagnostics | None = None
    endpoints: list[EndpointCheck] | None = None
    """
    With detailed=true
    """


class PaidCompany(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str
    slug: str
    logo: str | None
    tagline: str | None
    overview: str | None
    employee_count: int | None
    founded_date: date | None
    website: str | None
    company_stage: str | None
    funding_stage: str | None
    total_funding_usd: str | None
    is_verified: bool | None


class PaidPerson(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str
    slug: str
    logo: str | None
    headline: str | None
    overview: str | None
    roles: list[Role]
    companies: list[str]
    events: list[str]
    proposals: list[str]
    tags: list[str]
    aliases: list[str]
    location_json: Location | None
    links: dict[str, str]


class PaidInvestor(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    id: int
    name: str
    slug: str
    logo: str | None
    overview: str | None
    website: str | None
    investor_type: str | None
    investment_focus: list[str]
    investment_stages: list[str]
    ticket_size: str | None
    portfolio_companies: list[EntityReference]
    portfolio_count: int
    location_json: Location | None
    aliases: list[str]
    links: dict[str, str]


class PaidAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    companies: list[PaidCompany]
    people: list[PaidPerson]
    investors: list[PaidInvestor]


class PaidAnswerMeta(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    query: str
    type: Literal["companies", "people", "investors", "all"] | str
    page: int
    notice: str | None = None
    """
    Present if page is above 1: the answer is that of page 1
    """
    limit: int
    total: int
    """
    Results in this answer
    """
    payer: str
    transaction: str
    network: str
    """
    CAIP-2 chain identifier
    """
    price_paid: str
    """
    Token base units
    """
    price_paid_usd: str


class PaidAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    data: PaidAnswerData
    meta: PaidAnswerMeta


class Removal(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    entity_type: EntityKind
    id: int
    removed_at: AwareDatetime
    """
    When the removal was noticed, at most seconds after its commit
    """


class RemovalsAnswerData(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    results: list[Removal]
    """
    In the order of removal; may be empty although hasMore is true
    """
    next_cursor: str = Field(..., alias="nextCursor")
    """
    Value of the parameter "cursor" for the next request; keep it
    """
    has_more: bool = Field(..., alias="hasMore")
    """
    True if there are more removals
    """


class RemovalsAnswer(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    success: Literal[True]
    data: RemovalsAnswerData
    message: str
    """
    A sentence for people, not for programs
    """
    meta: Meta


BulkIds = TypeAliasType("BulkIds", Annotated[list[int], Field(..., title="BulkIds")])


BulkSlugs = TypeAliasType("BulkSlugs", Annotated[list[str], Field(..., title="BulkSlugs")])


CompanyField = TypeAliasType(
    "CompanyField",
    Annotated[
        Literal[
            "id",
            "name",
            "slug",
            "logo",
            "tagline",
            "overview",
            "total_employees",
            "employee_count",
            "year_founded",
            "founded_date",
            "website",
            "tags",
            "location_json",
            "company_stage",
            "funding_stage",
            "total_funding_usd",
            "is_verified",
            "aliases",
            "former_names",
            "tickers",
            "ecosystems",
            "investors",
            "investor_references",
            "links",
            "updated_at",
        ],
        Field(..., title="CompanyField"),
    ],
)


class BulkGetCompaniesRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["get"]
    entity_type: Literal["companies"]
    identifiers: BulkIds | BulkSlugs
    fields: list[CompanyField] | None = None


PersonField = TypeAliasType(
    "PersonField",
    Annotated[
        Literal[
            "id",
            "name",
            "slug",
            "logo",
            "headline",
            "overview",
            "roles",
            "companies",
            "company_references",
            "events",
            "event_references",
            "proposals",
            "tags",
            "aliases",
            "location_json",
            "links",
            "updated_at",
        ],
        Field(..., title="PersonField"),
    ],
)


class BulkGetPeopleRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["get"]
    entity_type: Literal["people"]
    identifiers: BulkIds | BulkSlugs
    fields: list[PersonField] | None = None


InvestorField = TypeAliasType(
    "InvestorField",
    Annotated[
        Literal[
            "id",
            "name",
            "slug",
            "logo",
            "overview",
            "website",
            "investor_type",
            "investment_focus",
            "investment_stages",
            "ticket_size",
            "portfolio_companies",
            "portfolio_count",
            "location_json",
            "aliases",
            "links",
            "updated_at",
        ],
        Field(..., title="InvestorField"),
    ],
)


class BulkGetInvestorsRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["get"]
    entity_type: Literal["investors"]
    identifiers: BulkIds | BulkSlugs
    fields: list[InvestorField] | None = None


EventField = TypeAliasType(
    "EventField",
    Annotated[
        Literal[
            "id",
            "name",
            "slug",
            "logo",
            "overview",
            "website",
            "start_date",
            "end_date",
            "year",
            "venue",
            "organizer",
            "event_types",
            "tags",
            "ecosystems",
            "is_online",
            "capacity",
            "location_json",
            "links",
            "updated_at",
        ],
        Field(..., title="EventField"),
    ],
)


class BulkGetEventsRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["get"]
    entity_type: Literal["events"]
    identifiers: BulkIds | BulkSlugs
    fields: list[EventField] | None = None


class BulkExistsRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["exists"]
    entity_type: BulkKind
    identifiers: BulkIds | BulkSlugs


class BulkCountRequest(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
    operation: Literal["count"]
    entity_type: BulkKind
    identifiers: BulkIds | BulkSlugs


BulkRequest = TypeAliasType(
    "BulkRequest",
    BulkGetCompaniesRequest
    | BulkGetPeopleRequest
    | BulkGetInvestorsRequest
    | BulkGetEventsRequest
    | BulkExistsRequest
    | BulkCountRequest,
)


FacetName = TypeAliasType(
    "FacetName",
    Annotated[
        Literal[
            "country",
            "city",
            "tag",
            "ecosystem",
            "company_stage",
            "funding_stage",
            "focus",
            "event_type",
            "online",
            "entity_type",
        ],
        Field(..., title="FacetName"),
    ],
)


EntityField = TypeAliasType(
    "EntityField",
    Annotated[
        Literal[
            "id",
            "name",
            "slug",
            "logo",
            "tagline",
            "overview",
            "total_employees",
            "employee_count",
            "year_founded",
            "founded_date",
            "website",
            "tags",
            "location_json",
            "company_stage",
            "funding_stage",
            "total_funding_usd",
            "is_verified",
            "aliases",
            "former_names",
            "tickers",
            "ecosystems",
            "investors",
            "investor_references",
            "links",
            "updated_at",
            "headline",
            "roles",
            "companies",
            "company_references",
            "events",
            "event_references",
            "proposals",
            "investor_type",
            "investment_focus",
            "investment_stages",
            "ticket_size",
            "portfolio_companies",
            "portfolio_count",
            "start_date",
            "end_date",
            "year",
            "venue",
            "organizer",
            "event_types",
            "is_online",
            "capacity",
        ],
        Field(..., title="EntityField"),
    ],
)


class OpenApiDocument(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )


class WellKnownX402(BaseModel):
    model_config = ConfigDict(
        extra="allow",
        populate_by_name=True,
    )
