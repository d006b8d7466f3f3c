/** Asks a service by REST: with a body, it posts it. Throws what is refused. */
export type Ask = (path: string, headers?: Record<string, string>, body?: unknown) => Promise<unknown>;

export const asking =
  (port: number): Ask =>
  async (path, headers, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
