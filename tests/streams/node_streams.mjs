// Node's http2 client as long-lived clients are: an upload that comes in pieces, and an event stream beside other
// requests that is cancelled at last. Arguments: origin, "upload" or "events".
import http2 from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

const [origin, kind] = process.argv.slice(2);
const session = http2.connect(origin, { settings: { initialWindowSize: 100_000, headerTableSize: 2048 } });

const ended = (request) => new Promise((resolve, reject) => {
  request.on('data', () => {});
  request.on('end', resolve);
  request.on('error', reject);
});
const get = (path, headers = {}) => {
  const request = session.request({ ':path': path, ...headers });
  request.end();
  return request;
};

if (kind === 'upload') {
  const request = session.request({ ':method': 'POST', ':path': '/echo', 'content-type': 'text/x-pieces' });
  const done = ended(request);
  for (let i = 0; i < 20; ++i) {
    request.write(Buffer.alloc(1200, 97 + i));
    await sleep(5);
  }
  request.end();
  await done;
  await ended(get('/info', { cookie: ['session=5f1c', 'theme=dark'], 'x-note': 'after the upload' }));
} else {
  const events = get('/events?interval=100ms', { accept: 'text/event-stream' });
  events.on('data', () => {});
  for (let i = 0; i < 3; ++i) {
    await ended(get('/info', { 'x-round': String(i), authorization: 'Bearer c0ffee' }));
    await new Promise((resolve) => session.ping(Buffer.from('ping-pin'), resolve));
    await sleep(120);
  }
  events.close(http2.constants.NGHTTP2_CANCEL);
  await new Promise((resolve) => events.on('close', resolve));
  await ended(get('/hello'));
}
session.close();
