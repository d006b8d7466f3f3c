import { createHash } from 'node:crypto';
import { existsSync, lchownSync, readFileSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { writeWhole } from '../../base/files/whole-file.js';

const OPEN = 'local all all trust\n';

/** Only with the password, which a new database has not until its first start. */
export class Entry {
  private readonly file: string;
  private readonly closed: string;

  constructor(
    private readonly folder: string,
    private readonly password: string,
  ) {
    this.file = path.join(folder, 'pg_hba.conf');
    const digest = createHash('sha256').update(password).digest('hex');
    this.closed = `# Made by Steady, for the password with the SHA-256 ${digest}\nlocal all all scram-sha-256\n`;
  }

  /** Before a start: a password can be given only by whoever may come in without it. The socket is in a closed folder. */
  prepare(): void {
    if (!this.isClosed()) this.write(OPEN);
  }

  async close(address: string): Promise<void> {
    if (this.isClosed()) return;
    const client = new pg.Client(address);
    await client.connect();
    try {
      await client.query(`alter role postgres password ${client.escapeLiteral(this.password)}`);
      this.write(this.closed);
      await client.query('select pg_reload_conf()');
    } finally {
      await client.end();
    }
  }

  /** Never into what is there: whoever is PostgreSQL's account could have put a link there. */
  private write(rules: string): void {
    const { uid, gid } = statSync(this.folder);
    writeWhole(this.file, rules, (draft) => {
      lchownSync(draft, uid, gid);
      renameSync(draft, this.file);
    });
  }

  private isClosed(): boolean {
    return existsSync(this.file) && readFileSync(this.file, 'utf8') === this.closed;
  }
}
