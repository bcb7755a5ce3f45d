{{- define "catalog.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "catalog.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "catalog.labels" -}}
{{ include "catalog.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "catalog.check" -}}
{{- if gt (int .Values.replicas) 1 }}
{{- if not .Values.existingSecret }}
{{- fail "More than one replica needs existingSecret with CATALOG_SECRET_KEY and CATALOG_JWT_SECRET: all processes must have the same keys." }}
{{- end }}
{{- if not .Values.auditKeySecret }}
{{- fail "More than one replica needs auditKeySecret with audit.key: all processes must sign checkpoints of the log with the same key." }}
{{- end }}
{{- end }}
{{- end }}
