import Koa from 'koa';

// A bare Koa that answers "hello" to everything: the least cost of an HTTP answer. PORT in the environment.
const app = new Koa();
app.use((ctx) => {
  ctx.body = 'hello';
});
const server = app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
