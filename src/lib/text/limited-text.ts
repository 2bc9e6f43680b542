/** The body of a response, of no more than so many characters: of a longer one, rejects with what `tooLong` makes. */
export async function limitedText(response: Response, charactersMax: number, tooLong: () => Error): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > charactersMax) throw tooLong();
  }
  return text + decoder.decode();
}
