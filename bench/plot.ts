export async function plotFigures(_file: string, _directory: string): Promise<readonly string[]> {
  return [];
}
