import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Has it listen on this machine until the test is over; answers its port. */
export async function listening(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}
