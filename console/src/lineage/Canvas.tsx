import { useNavigate } from '@tanstack/react-router'
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { sharedMoment } from '../ui/EntityLink.tsx'
import { Button } from '../ui/Button.tsx'
import { plural } from '../ui/format.ts'
import { Icon, KindIcon } from '../ui/Icon.tsx'
import { Skeleton } from '../ui/States.tsx'
import { isSeen, layoutRequestOf, linesOf, nextNode, nodeWidth, type Drawing } from './drawing.ts'
import type { Box } from './layout.ts'
import type { LineageNode } from './queries.ts'
import { useLayout } from './useLayout.ts'

interface NodeProps {
  readonly node: LineageNode
  readonly box: Box
  readonly columns: readonly string[]
  readonly isOpen: boolean
  readonly isStart: boolean
  readonly isChosen: boolean
  readonly onToggle: () => void
}

const Node = ({ node, box, columns, isOpen, isStart, isChosen, onToggle }: NodeProps) => {
  const { id, type, name, displayName, fullyQualifiedName, deleted } = node
  const label = displayName ?? name ?? 'not for your roles'
  const classes = ['lineage-node', isStart && 'start', isChosen && 'is-chosen', name === undefined && 'hidden-name']
  return (
    <div
      className={classes.filter(Boolean).join(' ')}
      style={{ translate: `${box.x}px ${box.y}px`, inlineSize: nodeWidth, blockSize: box.height }}
    >
      <div className="lineage-head">
        <button
          type="button"
          data-node={id}
          tabIndex={isChosen ? 0 : -1}
          aria-pressed={isChosen}
          className={deleted ? 'lineage-name is-deleted' : 'lineage-name'}
          title={fullyQualifiedName ?? label}
        >
          <KindIcon kind={type} size={16} />
          <span>
            {label}
            {fullyQualifiedName && <small>{fullyQualifiedName.slice(0, -(name?.length ?? 0) - 1)}</small>}
          </span>
        </button>
        {columns.length > 0 && (
          <button
            type="button"
            className="twisty"
            tabIndex={isChosen ? 0 : -1}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Hide' : 'Show'} ${plural(columns.length, 'column')} of ${label}`}
            onClick={onToggle}
          >
            <Icon name="chevron" size={14} />
          </button>
        )}
      </div>
      {isOpen && (
        <ul>
          {columns.map((column) => (
            <li key={column} title={column}>
              {column}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** What of the drawing is to be seen, and a little around it. */
const useWindow = (zoom: number) => {
  const element = useRef<HTMLDivElement>(null)
  const [window, setWindow] = useState({ left: 0, right: 2000, top: 0, bottom: 1200 })
  const measure = useCallback((): void => {
    const { scrollLeft = 0, scrollTop = 0, clientWidth = 0, clientHeight = 0 } = element.current ?? {}
    setWindow({
      left: scrollLeft / zoom - 300,
      right: (scrollLeft + clientWidth) / zoom + 300,
      top: scrollTop / zoom - 300,
      bottom: (scrollTop + clientHeight) / zoom + 300,
    })
  }, [zoom])
  useLayoutEffect(measure, [measure])
  return { element, window, measure }
}

/** A drawing that is wider than the canvas begins smaller, but can be read. */
const smallestFit = 0.64

interface CanvasProps {
  readonly drawing: Drawing
  readonly start: string
  readonly chosen: string
  readonly asOf: string | undefined
  readonly onChoose: (id: string) => void
}

/** A lineage from left to right. Arrow keys walk along the data, space unfolds columns, Enter opens an asset. */
export const Canvas = ({ drawing, start, chosen, asOf, onChoose }: CanvasProps) => {
  const navigate = useNavigate()
  const [chosenZoom, setZoom] = useState<number>()
  const zoom = chosenZoom ?? 1
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const { element, window, measure } = useWindow(zoom)
  const layout = useLayout(useMemo(() => layoutRequestOf(drawing, unfolded), [drawing, unfolded]))
  const wanted = useRef<string>(start)
  const centre = layout?.boxes.get(wanted.current)
  useLayoutEffect(() => {
    if (layout === undefined || element.current === null || chosenZoom !== undefined) return
    setZoom(Math.min(1, Math.max(smallestFit, element.current.clientWidth / layout.width)))
  }, [layout])
  useLayoutEffect(() => {
    if (centre === undefined || element.current === null) return
    const { clientWidth, clientHeight } = element.current
    element.current.scrollTo({
      left: (centre.x + nodeWidth / 2) * zoom - clientWidth / 2,
      top: (centre.y + 23) * zoom - clientHeight / 2,
    })
    measure()
    // Again for each layout; where one scrolls meanwhile is his affair.
  }, [layout, zoom])
  if (layout === undefined) return <Skeleton lines={8} label="Drawing the lineage" />
  const toggle = (id: string): void => {
    wanted.current = id
    setUnfolded((now) => new Set(now.has(id) ? [...now].filter((each) => each !== id) : [...now, id]))
  }
  const choose = (id: string): void => {
    onChoose(id)
    requestAnimationFrame(() => element.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)?.focus())
  }
  const open = (id: string): void => {
    const { type = '', fullyQualifiedName: fqn } = drawing.nodes.get(id) ?? {}
    const moment = sharedMoment(asOf)
    if (fqn === undefined || id === start) return
    const search = { tab: 'lineage', ...(moment !== undefined && { asOf: moment }) }
    void navigate({ to: '/$kind/$fqn', params: { kind: type, fqn }, search })
  }
  const act = (event: React.KeyboardEvent): void => {
    const next = event.key.startsWith('Arrow') ? nextNode(drawing, layout, chosen, event.key) : undefined
    const onNode = (event.target as HTMLElement).dataset['node'] !== undefined
    if (next !== undefined) choose(next)
    else if (onNode && event.key === ' ') toggle(chosen)
    else if (onNode && event.key === 'Enter') open(chosen)
    if (event.key.startsWith('Arrow') || (onNode && [' ', 'Enter'].includes(event.key))) event.preventDefault()
  }
  const isDrawn = (id: string, { x, y, height }: Box): boolean =>
    id === chosen || isSeen(window, x, y, x + nodeWidth, y + height)
  return (
    <div className="lineage-frame">
      <div
        ref={element}
        className="lineage-canvas"
        role="group"
        aria-label="Lineage, from left to right"
        onScroll={measure}
        onKeyDown={act}
        onClick={({ target }) => {
          const id = (target as HTMLElement).closest<HTMLElement>('[data-node]')?.dataset['node']
          if (id !== undefined) choose(id)
        }}
        onDoubleClick={({ target }) => {
          const id = (target as HTMLElement).closest<HTMLElement>('[data-node]')?.dataset['node']
          if (id !== undefined) open(id)
        }}
      >
        <div style={{ inlineSize: layout.width * zoom, blockSize: layout.height * zoom }}>
          <div className="lineage-drawing" style={{ scale: zoom, inlineSize: layout.width, blockSize: layout.height }}>
            <svg width={layout.width} height={layout.height} aria-hidden="true">
              {linesOf(drawing, layout, unfolded, window).map(({ key, path, change, ends, thin }) => (
                <path
                  key={key}
                  d={path}
                  className={[change ?? 'same', thin && 'thin', ends.includes(chosen) && 'near']
                    .filter(Boolean)
                    .join(' ')}
                />
              ))}
            </svg>
            {[...layout.boxes].map(([id, box]) => {
              const node = drawing.nodes.get(id)
              if (node === undefined || !isDrawn(id, box)) return null
              const [isOpen, columns] = [unfolded.has(id), drawing.columns.get(id) ?? []]
              const props = { node, box, columns, isOpen, isStart: id === start, isChosen: id === chosen }
              return <Node key={id} {...props} onToggle={() => toggle(id)} />
            })}
          </div>
        </div>
      </div>
      <div className="row lineage-zoom">
        <Button label="Zoom out" icon="minus" disabled={zoom <= 0.25} onClick={() => setZoom(zoom / 1.25)} />
        <Button label="Zoom in" icon="plus" disabled={zoom >= 2} onClick={() => setZoom(zoom * 1.25)} />
      </div>
    </div>
  )
}
