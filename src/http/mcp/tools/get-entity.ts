import { readRecord } from '../../endpoints/records.ts';
import { compactObject } from '../compact.ts';
import { entityArguments, fieldsArgument, inputSchema, item, outputSchema, readWanted } from './schemas.ts';
import { chargedAs, type Tool } from './tool.ts';

/** GET /api/v1/{kind}/{id-or-slug} as a tool. */
export const getEntity: Tool = {
  name: 'get_entity',
  title: 'Get one entity',
  description:
    'All that is known of one entity, by its kind and its slug or id. Search for it first if you know neither. Fields that have no value are left out.',
  input: () => inputSchema([...entityArguments, fieldsArgument]),
  output: outputSchema(item.properties, ['id']),
  handler(deps) {
    const charged = chargedAs(deps, 'records', deps.limiters.records);
    return (ctx, args) =>
      charged(ctx, async () => {
        const { data } = await readRecord(deps, readWanted(args, [fieldsArgument.name]));
        return { data: compactObject(data) };
      });
  },
};
