// Node's http2 client: GETs each path on one session, prints protocol, status and body of each as JSON.
import http2 from 'node:http2';

const [origin, ...paths] = process.argv.slice(2);
const session = http2.connect(origin, { rejectUnauthorized: false });
session.on('error', (error) => { throw error; });

const get = (path) => new Promise((resolve, reject) => {
  const request = session.request({ ':path': path });
  let status;
  let body = '';
  request.setEncoding('utf8');
  request.on('response', (headers) => { status = headers[':status']; });
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => resolve({ path, status, body }));
  request.on('error', reject);
  request.end();
});

const answers = await Promise.all(paths.map(get));
console.log(JSON.stringify({ alpn: session.alpnProtocol, answers }));
session.close();
