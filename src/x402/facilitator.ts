import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { limitedText } from '../lib/text/limited-text.ts';
import type { FacilitatorPort } from '../payments/ports.ts';
import type { FacilitatorReply, SettleAnswer, VerifyAnswer } from '../payments/protocol/facilitator-answer.ts';
import { lowerHex, type PaymentPayload } from '../payments/protocol/payload.ts';
import { requirementsOf, type Terms } from '../payments/protocol/terms.ts';

/** The facilitator's address and time limits. */
export interface FacilitatorSettings {
  readonly url: string;
  /** Sent with every request; mainnet facilitators want credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly verifyTimeoutMs: number;
  readonly settleTimeoutMs: number;
}

/** An answer has a few hundred bytes. */
const answerBytesMax = 65_536;

const verifyAnswer = z
  .object({ isValid: z.boolean(), invalidReason: z.string().nullish() })
  .transform(({ isValid, invalidReason }): VerifyAnswer => ({ isValid, invalidReason: invalidReason ?? null }));

const transactionHash = /^0x[0-9a-fA-F]{64}$/;
const settleAnswer = z
  .object({ success: z.boolean(), transaction: z.unknown().optional(), errorReason: z.unknown().optional() })
  .transform(
    ({ success, transaction, errorReason }): SettleAnswer => ({
      success,
      transaction: typeof transaction === 'string' && transactionHash.test(transaction) ? lowerHex(transaction) : null,
      errorReason: typeof errorReason === 'string' ? errorReason : null,
    }),
  );

/** Sends a request and reads its whole answer. Rejects if the connection failed or broke, or time was up. */
export type Post = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  timeoutMs: number,
) => Promise<{ readonly status: number; readonly text: string }>;

/**
 * Creates a client of the facilitator. Opens no connection until it is used; connections are reused.
 * @param post sends a request; by default over the network
 */
export function createFacilitator(settings: FacilitatorSettings, post: Post = overNetwork): FacilitatorPort {
  const exchange = exchangeOver(post, settings);
  return {
    verify: (sent, terms) => exchange('verify', bodyOf(sent, terms), verifyAnswer, settings.verifyTimeoutMs),
    settle: (sent, terms) => exchange('settle', bodyOf(sent, terms), settleAnswer, settings.settleTimeoutMs),
  };
}

const overNetwork: Post = async (url, { headers, body }, timeoutMs) => {
  // `exchangeOver` built the address from the settings.
  // nosemgrep: only-configured-addresses
  const response = await fetch(url, {
    method: 'POST',
    // A payment and our credentials go only to the configured address, so redirects are not followed.
    redirect: 'error',
    headers,
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, text: await answerText(response) };
};

/** Returns the payment with our terms instead of the client's copy of them. */
function bodyOf(sent: PaymentPayload, terms: Terms): string {
  const { authorization, signature, resource, extensions } = sent;
  const requirements = requirementsOf(terms);
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: {
      x402Version: 2,
      resource,
      accepted: requirements,
      payload: {
        signature,
        authorization: {
          ...authorization,
          value: authorization.value.toString(),
          validAfter: authorization.validAfter.toString(),
          validBefore: authorization.validBefore.toString(),
        },
      },
      extensions,
    },
    paymentRequirements: requirements,
  });
}

const supportedAnswer = z.object({
  kinds: z.array(z.looseObject({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
});

/**
 * Returns the payments that the facilitator supports, each as `version scheme network`. Rejects if it does not answer, or
 * answers with a redirect, which would take payments and credentials elsewhere.
 */
export async function supportedPayments(
  settings: Pick<FacilitatorSettings, 'url' | 'headers' | 'verifyTimeoutMs'>,
): Promise<readonly string[]> {
  const response = await fetch(addressOf(settings, 'supported'), {
    headers: { ...settings.headers, accept: 'application/json' },
    // The redirect is not followed. The error names its target's host.
    redirect: 'manual',
    signal: AbortSignal.timeout(settings.verifyTimeoutMs),
  });
  const location = response.headers.get('location');
  if (location !== null) {
    await response.body?.cancel();
    const { protocol = '', host } = URL.parse(location, settings.url) ?? {};
    throw new Error(`it redirects to ${/^https?:$/.test(protocol) ? host : 'an address that cannot be read'}`);
  }
  const answer = supportedAnswer.safeParse(parseJson(await answerText(response)));
  if (!answer.success)
    throw new Error(`The facilitator answered /supported with status ${response.status} and no list.`);
  return answer.data.kinds.map(({ x402Version, scheme, network }) => `${x402Version} ${scheme} ${network}`);
}

function addressOf({ url }: Pick<FacilitatorSettings, 'url'>, path: string): string {
  return `${url.replace(/\/+$/, '')}/${path}`;
}

function exchangeOver(post: Post, settings: FacilitatorSettings) {
  return async <Answer>(
    path: 'verify' | 'settle',
    body: string,
    schema: z.ZodType<Answer>,
    timeoutMs: number,
  ): Promise<FacilitatorReply<Answer>> => {
    const headers = { ...settings.headers, 'content-type': 'application/json', accept: 'application/json' };
    let reply: Awaited<ReturnType<Post>>;
    try {
      reply = await post(addressOf(settings, path), { headers, body }, timeoutMs);
    } catch (error) {
      return { kind: neverConnected(error) ? 'not-sent' : 'unclear', cause: error };
    }
    // Some answer "pending" with status 500: the JSON counts, whatever the status. Anything else is unclear,
    // a 429 too: it may come from a proxy behind which the transaction was sent.
    const answer = schema.safeParse(parseJson(reply.text));
    if (answer.success) return { kind: 'answered', answer: answer.data };
    const cause = new Error(
      `The facilitator answered /${path} with status ${reply.status} and no answer of the protocol.`,
    );
    return { kind: 'unclear', cause };
  };
}

function answerText(response: Response): Promise<string> {
  return limitedText(
    response,
    answerBytesMax,
    () => new Error('The facilitator answered at more length than an answer has.'),
  );
}

const beforeConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** Returns true if no connection was made, so that the request can't have arrived. */
function neverConnected(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  // A host with several addresses: every attempt must have failed before a connection was made.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every(neverConnected);
  }
  if ('code' in error && typeof error.code === 'string') return beforeConnection.has(error.code);
  return 'cause' in error && neverConnected(error.cause);
}
