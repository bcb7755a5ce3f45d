import { useMutation } from '@tanstack/react-query'
import { Button } from '../ui/Button.tsx'
import { EntityLink } from '../ui/EntityLink.tsx'
import { formatTime } from '../ui/format.ts'
import { toast, toastError } from '../ui/toasts.tsx'
import type { Drawing } from './drawing.ts'
import { drawEdge, manual, type LineageEdge, type LineageNode } from './queries.ts'
import type { Reference } from '../api/types.ts'

const isNamed = (node: LineageNode | undefined): node is LineageNode & Reference =>
  node?.fullyQualifiedName !== undefined

interface ListProps {
  readonly drawing: Drawing
  readonly chosen: string
  readonly mayDraw: boolean
}

const Edge = ({ edge, other, drawing, mayDraw }: Omit<ListProps, 'chosen'> & { edge: LineageEdge; other: string }) => {
  const [up, down, node] = [edge.from, edge.to, other].map((id) => drawing.nodes.get(id))
  const remove = useMutation({
    mutationFn: async () => {
      if (isNamed(up) && isNamed(down)) await drawEdge(up, down, false)
    },
    onSuccess: () => toast('Edge removed'),
    onError: toastError,
  })
  const { source, since, description, sql, pipeline } = edge
  return (
    <li className="card">
      <div className="row">
        {isNamed(node) ? (
          <EntityLink reference={node} />
        ) : (
          <span className="hint">Something that you may not view</span>
        )}
        <span className="badge">{source}</span>
        {mayDraw && source === manual && isNamed(up) && isNamed(down) && (
          <Button
            look="quiet"
            icon="trash"
            label="Remove the edge"
            busy={remove.isPending}
            onClick={() => remove.mutate()}
          />
        )}
      </div>
      <p className="hint">
        {since.time !== undefined && `stated by ${since.user ?? ''} on ${formatTime(since.time)}, `}position{' '}
        {since.position}
      </p>
      {pipeline?.fullyQualifiedName && (
        <p>
          by <bdi>{pipeline.fullyQualifiedName}</bdi>
        </p>
      )}
      {description && <p>{description}</p>}
      {sql && (
        <details>
          <summary>Statement</summary>
          <pre>{sql}</pre>
        </details>
      )}
    </li>
  )
}

/** What is said about the asset that is chosen: each edge with who stated it and when. */
export const EdgeList = ({ drawing, chosen, mayDraw }: ListProps) => {
  const all = drawing.edges.flatMap(({ stated }) => stated)
  const sides = [
    ['Comes from', all.filter(({ to }) => to === chosen), ({ from }: LineageEdge) => from],
    ['Goes to', all.filter(({ from }) => from === chosen), ({ to }: LineageEdge) => to],
  ] as const
  return (
    <div className="lineage-lists">
      {sides.map(([title, edges, otherOf]) => (
        <section key={title} aria-label={title}>
          <h2>
            {title} <span className="count">{edges.length}</span>
          </h2>
          <ul>
            {edges.map((edge) => (
              <Edge
                key={`${edge.from} ${edge.to} ${edge.source}`}
                {...{ edge, drawing, mayDraw }}
                other={otherOf(edge)}
              />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}
