/** Returns the text's value; undefined if it is not JSON, such as a gateway's error page or a truncated answer. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
