/** As much as the server takes. */
export const passkeyNameMax = 64;

/** What is wrong with the name of a passkey; empty where nothing is. */
export function passkeyNameProblem(name: string): string {
  return name.trim() === '' ? 'Give the passkey a name, such as the device it is on.' : '';
}
