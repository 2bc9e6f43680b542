import { setConsoleStage } from '../../support/stages/console.ts';
test('x', async () => {
  const t = Date.now();
  await using stage = await setConsoleStage();
  process.stderr.write(`${Date.now()-t} ms\n`);
  await using opened = await stage.open('/api/health');
  process.stderr.write(`${Date.now()-t} ms ${await opened.page.content()}\n`);
});
