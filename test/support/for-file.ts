let resources: AsyncDisposableStack | undefined;

/** Resources of the file's tests. After the last test, they are closed in reverse order. */
function ofFile(): AsyncDisposableStack {
  if (resources !== undefined) return resources;
  const opened = new AsyncDisposableStack();
  afterAll(() => opened.disposeAsync());
  resources = opened;
  return opened;
}

export async function forFile<Resource extends AsyncDisposable>(
  opening: Resource | Promise<Resource>,
): Promise<Resource> {
  return ofFile().use(await opening);
}

/** Opens a resource for all tests of the file, which `close` closes after the last one. */
export async function closedAfterFile<Resource>(
  opening: Resource | Promise<Resource>,
  close: (resource: Resource) => Promise<unknown>,
): Promise<Resource> {
  return ofFile().adopt(await opening, async (resource) => void (await close(resource)));
}
