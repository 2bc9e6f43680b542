/** The present day in UTC: calls are counted by these days and their months. */
const today = (): string => new Date().toISOString().slice(0, 10);

/**
 * A test of counts that end with the day. If it fails because midnight passes meanwhile, it begins again.
 * @param body is given the day
 */
export function testWithinADay(name: string, body: (day: string) => Promise<void>): void {
  test(name, async () => {
    for (let day = today(); ; day = today()) {
      try {
        await body(day);
        return;
      } catch (error) {
        if (today() === day) throw error;
      }
    }
  });
}
