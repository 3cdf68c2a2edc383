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

{{- /* The chart sets the addresses and the data folder of the gateway. The operator sets everything else. */ -}}
{{- define "gateway.config" -}}
{{- $listen := merge (dict "host" "0.0.0.0" "port" (int .Values.ports.http) "health_port" (int .Values.ports.health)) (default dict .Values.config.listen) -}}
{{- toYaml (merge (dict "listen" $listen "data" "/data") (omit .Values.config "listen" "data")) -}}
{{- end -}}

{{- /* A duration of the configuration in whole seconds, rounded up. Empty if the duration comes from the environment. */ -}}
{{- define "gateway.seconds" -}}
{{- $said := toString . -}}
{{- if regexMatch "^[0-9]+(ms|s|m|h|d)$" $said -}}
{{- $number := regexFind "^[0-9]+" $said | int64 -}}
{{- $unit := regexFind "[a-z]+$" $said -}}
{{- if eq $unit "ms" -}}
{{- div (add $number 999) 1000 -}}
{{- else -}}
{{- mul $number (get (dict "s" 1 "m" 60 "h" 3600 "d" 86400) $unit) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* After the grace period the gateway has 25 seconds for the last frames, charges and records; see "Stopping and replacing" in docs/operations.md. */ -}}
{{- define "gateway.checkGrace" -}}
{{- $said := default "600s" .Values.config.shutdown_grace -}}
{{- $grace := include "gateway.seconds" $said -}}
{{- if $grace -}}
{{- $least := add (int64 $grace) (int64 .Values.preStopSeconds) 25 -}}
{{- if lt (int64 .Values.terminationGracePeriodSeconds) $least -}}
{{- fail (printf "terminationGracePeriodSeconds is %d and must be at least %d: preStopSeconds (%d), config.shutdown_grace (%s) and 25 seconds for the last charges. With less, Kubernetes kills answers that still run. Raise it, or lower config.shutdown_grace." (int64 .Values.terminationGracePeriodSeconds) $least (int64 .Values.preStopSeconds) $said) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "gateway.check" -}}
{{- include "gateway.checkGrace" . -}}
{{- if eq (int .Values.ports.http) (int .Values.ports.health) -}}
{{- fail (printf "ports.http and ports.health are both %d: the gateway cannot listen twice on one port. Give them two different ones." (int .Values.ports.http)) -}}
{{- end -}}
{{- if and (or .Values.autoscaling.enabled (gt (int .Values.replicaCount) 1)) (not .Values.config.database) -}}
{{- fail "Several gateways must share a database: set config.database to ${DATABASE_URL}, config.secret to ${GATEWAY_SECRET}, and put both into the secret." -}}
{{- end -}}
{{- if and .Values.existingSecret .Values.secret -}}
{{- fail "existingSecret and secret exclude each other: name a Secret of yours, or have the chart make one." -}}
{{- end -}}
{{- end -}}
