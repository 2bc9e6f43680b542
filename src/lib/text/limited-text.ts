/** Returns the body of a response. Rejects with the error of `tooLong` if it has too many characters. */
export async function limitedText(response: Response, charactersMax: number, tooLong: () => Error): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > charactersMax) throw tooLong();
  }
  return text + decoder.decode();
}
