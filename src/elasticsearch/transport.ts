import { Transport } from '@elastic/elasticsearch';

/**
 * The media types of Elasticsearch 8, which 9 accepts as well. Elasticsearch 8 refuses those of the official client
 * (400, `media_type_header_exception`).
 */
const mediaTypes = {
  jsonContentType: 'application/vnd.elasticsearch+json; compatible-with=8',
  ndjsonContentType: 'application/vnd.elasticsearch+x-ndjson; compatible-with=8',
  accept: 'application/vnd.elasticsearch+json; compatible-with=8,text/plain',
};

/** Headers for a body that is JSON text, which the client would send as plain text. */
export const jsonTextHeaders = { 'content-type': mediaTypes.jsonContentType, accept: mediaTypes.jsonContentType };

/** The official client's transport, for Elasticsearch 8 and 9. */
export class CompatibleTransport extends Transport {
  constructor(options: ConstructorParameters<typeof Transport>[0]) {
    super({ ...options, vendoredHeaders: mediaTypes });
  }
}
