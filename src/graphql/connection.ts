import 'reflect-metadata';
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { isDay } from '../base/carried.js';
import { invalid } from '../base/errors.js';
import { Clearable, limits, PageSize, Text } from '../base/validation.js';
import type { Page, PageRequest, Position } from '../database/cursor.js';

@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: limits.pageSizeDefault,
    description: `The size of the page, 1 to ${limits.pageSize}; null means the default.`,
  })
  @Clearable()
  @PageSize()
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Return the rows after this cursor.' })
  @Clearable()
  @Text()
  after?: string | null;
}

/** The list that a cursor belongs to: a cursor is refused for another list or another user. */
export interface ListIdentity {
  list: string;
  userId: string;
  /** Whether a rank may be in the place of the id. */
  isRanked?: boolean;
  /** Whether the list is ordered by a day before the instant. */
  isByDay?: boolean;
}

export function pageRequest({ first, after }: PageArgs, identity: ListIdentity): PageRequest {
  const size = first ?? limits.pageSizeDefault;
  return typeof after === 'string' ? { first: size, after: positionIn(after, identity) } : { first: size };
}

const cursorOf = ({ at, id, day }: Position, { list, userId, isByDay = false }: ListIdentity) =>
  Buffer.from([list, userId.slice(0, 8), at.getTime(), id, ...(isByDay ? [day] : [])].join(' ')).toString(
    'base64url',
  );

const ID = /^[1-9]\d{0,15}$/;
const RANK = /^-?\d{1,16}(\.\d{1,40})?$/;

function positionIn(
  cursor: string,
  { list, userId, isRanked = false, isByDay = false }: ListIdentity,
): Position {
  const [ofList, ofUser, at, id, ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  // Fourteen digits of milliseconds reach to the year 5138, and every database can represent the instant.
  const isWhole = /^\d{1,14}$/.test(at ?? '') && (isRanked ? RANK : ID).test(id ?? '');
  const [day, ...more] = isByDay ? rest : [undefined, ...rest];
  const hasDay = isByDay ? isDay(day ?? '') : true;
  if (ofList !== list || ofUser !== userId.slice(0, 8) || !isWhole || !hasDay || more.length > 0) {
    throw invalid('`after` must be a cursor of this list, asked for with the same arguments', 'after');
  }
  return {
    at: new Date(Number(at)),
    id: isRanked ? String(id) : Number(id),
    ...(isByDay && { day: String(day) }),
  };
}

@ObjectType({ simpleResolvers: true, description: 'Where a page lies in its list.' })
export class PageInfo {
  @Field({ description: 'Whether more rows follow this page.' })
  hasNextPage!: boolean;

  @Field({ description: 'Whether rows exist before this page. Paging is forward only.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first row; null on an empty page.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last row; null on an empty page.' })
  endCursor!: string | null;
}

/** Of a list whose cursors are its own. */
interface OwnCursors<Node> {
  cursorOf(row: Node): string;
  ofEmptyPage: string | null;
}

/** The rows are read once, however many parts of the page are selected. */
class ShownPage<Node> {
  private loaded?: Promise<Node[]>;
  private readonly cursors: OwnCursors<Node>;

  constructor(
    protected readonly page: Page<Node>,
    private readonly request: PageRequest,
    identity: ListIdentity | OwnCursors<Node>,
  ) {
    this.cursors = 'cursorOf' in identity ? identity : cursorsOf(page, identity);
  }

  protected async shown(): Promise<Node[]> {
    return (await this.rows()).slice(0, this.request.first);
  }

  protected async withCursors(): Promise<{ cursor: string; node: Node }[]> {
    return (await this.shown()).map((node) => ({ cursor: this.cursorOf(node), node }));
  }

  protected async info(): Promise<PageInfo> {
    const rows = await this.rows();
    const first = rows[0];
    const last = rows[Math.min(rows.length, this.request.first) - 1];
    return {
      hasNextPage: rows.length > this.request.first,
      hasPreviousPage: await this.page.hasEarlier(),
      startCursor: first ? this.cursorOf(first) : null,
      endCursor: last ? this.cursorOf(last) : this.cursors.ofEmptyPage,
    };
  }

  private rows(): Promise<Node[]> {
    this.loaded ??= this.page.rows();
    return this.loaded;
  }

  private cursorOf(row: Node): string {
    return this.cursors.cursorOf(row);
  }
}

const cursorsOf = <Node>(page: Page<Node>, identity: ListIdentity): OwnCursors<Node> => ({
  cursorOf: (row) => cursorOf(page.positionOf(row), identity),
  ofEmptyPage: null,
});

/** The fields of a page that is shown, which are no fields of its nodes. */
const OF_PAGE = [
  ...['nodes', 'edges', 'node', 'cursor', 'totalCount', '__typename'],
  ...['pageInfo', 'hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'],
];

/** Whether a connection is asked for these fields of its nodes alone. A plan asks with the same nodes each time. */
export function selectsOnly(ofNode: readonly string[]): (info: GraphQLResolveInfo) => boolean {
  const names = new Set([...OF_PAGE, ...ofNode]);
  const known = new WeakMap<readonly FieldNode[], boolean>();
  return ({ fieldNodes, fragments }) => {
    const found =
      known.get(fieldNodes) ??
      [...fieldsIn(fieldNodes, fragments)].every(({ name }) => names.has(name.value));
    known.set(fieldNodes, found);
    return found;
  };
}

/** All fields below some of them. */
function* fieldsIn(
  fields: readonly { selectionSet?: SelectionSetNode | undefined }[],
  fragments: GraphQLResolveInfo['fragments'],
): Generator<FieldNode> {
  const open = fields.map(({ selectionSet }) => selectionSet);
  const visited = new Set(open);
  for (const part of open) {
    for (const selection of part?.selections ?? []) {
      if (selection.kind === Kind.FIELD) yield selection;
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const below = isSpread ? fragments[selection.name.value]?.selectionSet : selection.selectionSet;
      if (below && !visited.has(below)) open.push(below);
      visited.add(below);
    }
  }
}

/** The connection type of a node. It reads only the parts that a query selects. */
export function connectionOf<Node extends object>(node: ClassType<Node>, name = node.name) {
  @ObjectType(`${name}Edge`, {
    simpleResolvers: true,
    description: `One ${name.toLowerCase()} in a list, with its cursor.`,
  })
  class Edge {
    @Field({
      description: 'The position of this row in the list. Pass it as `after` to get the rows that follow.',
    })
    cursor!: string;

    @Field(() => node, { description: `The ${name.toLowerCase()}.` })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, {
    simpleResolvers: true,
    description: `A page of a list of ${name.toLowerCase()}s.`,
  })
  class Connection extends ShownPage<Node> {
    @Field(() => [node], { description: 'The rows of this page.' })
    get nodes(): Promise<Node[]> {
      return this.shown();
    }

    @Field(() => [Edge], { description: 'The rows of this page with their cursors.' })
    get edges(): Promise<Edge[]> {
      return this.withCursors();
    }

    @Field(() => PageInfo, { description: 'Where this page lies in the list.' })
    get pageInfo(): Promise<PageInfo> {
      return this.info();
    }

    @Field(() => Int, { description: 'The number of rows in the whole list.' })
    get totalCount(): Promise<number> {
      return this.page.total();
    }
  }

  return Connection;
}
