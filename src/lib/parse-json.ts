/** The text's value; undefined where it is no JSON, such as a gateway's page or an answer cut short. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
