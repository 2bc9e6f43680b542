import { Transport } from '@elastic/elasticsearch';

/**
 * The media types of Elasticsearch 8, which 9 understands as well; the official client's own would be those of 9, which 8
 * refuses (400, `media_type_header_exception`). So one program speaks with both.
 */
const mediaTypes = {
  jsonContentType: 'application/vnd.elasticsearch+json; compatible-with=8',
  ndjsonContentType: 'application/vnd.elasticsearch+x-ndjson; compatible-with=8',
  accept: 'application/vnd.elasticsearch+json; compatible-with=8,text/plain',
};

/** For a body that is JSON text already, which the client would take for plain text. */
export const jsonTextHeaders = { 'content-type': mediaTypes.jsonContentType, accept: mediaTypes.jsonContentType };

/** The official client's transport, for Elasticsearch 8 and 9. */
export class CompatibleTransport extends Transport {
  constructor(options: ConstructorParameters<typeof Transport>[0]) {
    super({ ...options, vendoredHeaders: mediaTypes });
  }
}
