{{- define "gateway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "gateway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "gateway.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ include "gateway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gateway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "gateway.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "gateway.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "gateway.secretName" -}}
{{- default (include "gateway.fullname" .) .Values.existingSecret -}}
{{- end -}}

{{- /* Where the gateway listens and writes is the chart's business; everything else is the operator's. */ -}}
{{- define "gateway.config" -}}
{{- $listen := merge (dict "host" "0.0.0.0" "port" (int .Values.ports.http) "health_port" (int .Values.ports.health)) (default dict .Values.config.listen) -}}
{{- toYaml (merge (dict "listen" $listen "data" "/data") (omit .Values.config "listen" "data")) -}}
{{- end -}}

{{- define "gateway.check" -}}
{{- if and (or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1)) (not .Values.config.database) -}}
{{- fail "Several gateways must share a database: set config.database to ${DATABASE_URL}, config.secret to ${GATEWAY_SECRET}, and put both into the secret." -}}
{{- end -}}
{{- if and .Values.existingSecret .Values.secret -}}
{{- fail "existingSecret and secret exclude each other: name a Secret of yours, or have the chart make one." -}}
{{- end -}}
{{- end -}}
