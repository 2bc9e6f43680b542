/** A variable that Jest's global set-up gives every test process. */
export function requiredEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: tests are run by Jest with the project's configuration`);
  return value;
}
