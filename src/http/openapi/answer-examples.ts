// Answers as the document shows them. A test holds each against its schema.

const meta = {
  requestId: '9f1a87a3-0e82-41dd-a6cc-96b3b6992dc2',
  timestamp: '2026-01-31T12:00:00.000Z',
  version: 'v1',
} as const;

const company = {
  id: 1000806,
  name: 'Plover Spire',
  slug: 'plover-spire',
  logo: 'https://logo.example/plover-spire.png',
  overview: 'Plover Spire matches spot orders on-chain for market makers.',
  total_employees: 9363,
  year_founded: 2020,
  website: 'https://plover-spire.example',
  tags: ['exchange'],
  location_json: { city: 'Sydney', country: 'Australia' },
} as const;

export const searchExample = {
  success: true,
  data: {
    results: [{ entity_type: 'companies', ...company }],
    totalResults: 1,
    totalPages: 1,
    page: 1,
    limit: 5,
    matchedBy: 'strict',
    nextCursor: null,
  },
  message: 'Found 1 result, page 1 of 1.',
  meta,
} as const;

export const suggestExample = {
  success: true,
  data: {
    suggestions: [
      {
        entity_type: 'companies',
        id: 1000806,
        name: 'Plover Spire',
        slug: 'plover-spire',
        logo: 'https://logo.example/plover-spire.png',
      },
    ],
  },
  message: '1 suggestion.',
  meta,
} as const;

export const recordExample = {
  success: true,
  data: { id: 1000806, name: 'Plover Spire', updated_at: '2026-01-31T12:00:00.000Z' },
  message: 'Found Plover Spire.',
  meta,
} as const;

/** Bodies of requests, with the answer to each. */
export const bulkExamples = {
  get: {
    request: { operation: 'get', entity_type: 'companies', identifiers: [1000806, 5], fields: ['name', 'website'] },
    answer: {
      success: true,
      data: {
        operation: 'get',
        entity_type: 'companies',
        requested_count: 2,
        results: { companies: [{ id: 1000806, name: 'Plover Spire', website: 'https://plover-spire.example' }] },
        metadata: { processed_at: '2026-01-31T12:00:00.000Z', processing_time_ms: 3 },
      },
      message: 'Bulk get of 2 companies: 1 found.',
      meta,
    },
  },
  exists: {
    request: { operation: 'exists', entity_type: 'people', identifiers: [1, 2] },
    answer: {
      success: true,
      data: {
        operation: 'exists',
        entity_type: 'people',
        requested_count: 2,
        results: {
          people: [
            { id: 1, exists: true },
            { id: 2, exists: false },
          ],
        },
      },
      message: 'Bulk exists of 2 people: 1 found.',
      meta,
    },
  },
  count: {
    request: { operation: 'count', entity_type: 'investors', identifiers: ['fund-one', 'fund-two'] },
    answer: {
      success: true,
      data: {
        operation: 'count',
        entity_type: 'investors',
        requested_count: 2,
        results: { investors: { count: 1 } },
      },
      message: 'Bulk count of 2 investors: 1 found.',
      meta,
    },
  },
} as const;

export const usageExample = {
  success: true,
  data: {
    plan: 'starter',
    limits: { calls_per_minute: 60, calls_per_month: 50_000 },
    used: { this_minute: 4, today: 210, this_month: 3_921 },
    resets_in_seconds: { minute: 41, month: 864_000 },
  },
  message: '3921 calls were used this month, 4 of them in this minute.',
  meta,
} as const;

const quickReport = {
  status: 'operational',
  timestamp: '2026-01-31T12:00:00.000Z',
  responseTime: 2,
  services: { database: 'operational', api: 'operational' },
} as const;

export const healthExamples = {
  quick: quickReport,
  detailed: {
    ...quickReport,
    operational: true,
    diagnostics: {
      apiRoutes: { status: 'operational', operational: true },
      indexLag: { companies: 0, people: 0.4, investors: 0, events: 0 },
    },
    endpoints: ['companies', 'people', 'investors', 'search'].map((name) => ({
      name,
      status: 'operational',
      responseTime: 7,
    })),
  },
  down: { ...quickReport, status: 'error', services: { database: 'error', api: 'operational' } },
} as const;

export const paidExample = {
  data: {
    companies: [
      {
        id: 1000806,
        name: 'Plover Spire',
        slug: 'plover-spire',
        logo: 'https://logo.example/plover-spire.png',
        tagline: null,
        overview: 'Plover Spire matches spot orders on-chain for market makers.',
        website: 'https://plover-spire.example',
        company_stage: null,
        funding_stage: 'Seed',
        total_funding_usd: '1250000.50',
        founded_date: '2020-03-31',
        employee_count: 9363,
        is_verified: true,
      },
    ],
    people: [],
    investors: [],
  },
  meta: {
    query: 'exchange',
    type: 'companies',
    page: 1,
    limit: 1,
    total: 1,
    payer: '0x1111111111111111111111111111111111111111',
    transaction: `0x${'ab'.repeat(32)}`,
    network: 'eip155:84532',
    price_paid: '10000',
    price_paid_usd: '0.01',
  },
} as const;
