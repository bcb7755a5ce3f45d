import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../api/client.ts'
import { mayDo, useMe } from '../api/permissions.ts'
import { refresh } from '../api/queries.ts'
import { idPath } from '../api/reads.ts'
import { Button } from '../ui/Button.tsx'
import { Popover } from '../ui/Popover.tsx'
import { toast, toastError } from '../ui/toasts.tsx'
import { exportUrl, validateContract, type Contract } from './queries.ts'

const states = ['Draft', 'Active', 'Deprecated']

/** What one can do with a contract that is there. */
export const ContractActions = ({ contract }: { contract: Contract }) => {
  const me = useMe()
  const navigate = useNavigate()
  const mayEdit = mayDo(me, 'edit', 'dataContract', contract) && !contract.inherited
  const check = useMutation({
    mutationFn: () => validateContract(contract.id),
    onSuccess: refresh,
    onError: toastError,
  })
  const move = useMutation({
    mutationFn: (entityStatus: string) =>
      call('PATCH', idPath('dataContract', contract.id), {
        body: { entityStatus },
        contentType: 'application/merge-patch+json',
      }),
    onSuccess: async () => {
      await refresh()
      toast('Saved')
    },
    onError: toastError,
  })
  const file = `${contract.name}.odcs`
  return (
    <>
      {mayEdit && (
        <Button icon="check" busy={check.isPending} onClick={() => check.mutate()}>
          Validate
        </Button>
      )}
      <Popover label="More about the contract" icon="more" look="plain">
        {(close) => (
          <ul className="menu">
            <li>
              <a href={exportUrl(contract.id, 'yaml')} download={`${file}.yaml`} onClick={close}>
                Export as YAML
              </a>
            </li>
            <li>
              <a href={exportUrl(contract.id, 'json')} download={`${file}.json`} onClick={close}>
                Export as JSON
              </a>
            </li>
            {mayEdit &&
              states
                .filter((state) => state !== contract.entityStatus)
                .map((state) => (
                  <li key={state}>
                    <button
                      type="button"
                      onClick={() => {
                        close()
                        move.mutate(state)
                      }}
                    >
                      Make it {state.toLowerCase()}
                    </button>
                  </li>
                ))}
            <li>
              <button
                type="button"
                onClick={() =>
                  void navigate({
                    to: '/$kind/$fqn',
                    params: { kind: 'dataContract', fqn: contract.fullyQualifiedName },
                  })
                }
              >
                Open its own page
              </button>
            </li>
          </ul>
        )}
      </Popover>
    </>
  )
}
