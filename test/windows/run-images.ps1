<#
.SYNOPSIS
Loads the images of a release into this Windows machine and runs each of them with process isolation.

.DESCRIPTION
Writes a JSON file with what each container did: its exit code and the first lines that it printed. An image counts as started if the
engine could create its container and Windows could load its program, whatever the program then says of its arguments.

.PARAMETER Dist
The directory of the release.

.PARAMETER Slipway
The slipway program.

.PARAMETER Release
The Windows release of this machine: ltsc2022.

.PARAMETER Engine
docker or containerd.

.PARAMETER Out
The file to write.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory)][string]$Dist,
    [Parameter(Mandatory)][string]$Slipway,
    [Parameter(Mandatory)][string]$Release,
    [Parameter(Mandatory)][ValidateSet('docker', 'containerd')][string]$Engine,
    [Parameter(Mandatory)][string]$Out
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$lock = Get-Content -Raw (Join-Path $Dist 'release.lock.json') | ConvertFrom-Json
$bundle = Join-Path $Dist "$($lock.name)-images.windows-$Release-amd64.tar.zst"
$names = @(Get-Content ($bundle -replace '\.tar\.zst$', '.txt') | Where-Object { $_ })
$version = if ($Engine -eq 'docker') { docker version --format '{{.Server.Version}}' } else { (ctr.exe --version) -join ' ' }

# What docker and ctr return if there was no container, and Windows if it could not load the program: STATUS_DLL_NOT_FOUND,
# STATUS_ENTRYPOINT_NOT_FOUND, STATUS_INVALID_IMAGE_FORMAT, and two of the host compute service. In decimal: to PowerShell, 0xC0000135 is negative.
$failed = 125, 126, 127, 3221225781, 3221225785, 3221225595, 3224830209, 3224830214

if ($Engine -eq 'containerd') {
    & (Join-Path $Dist 'load-images.ps1') -Directory $Dist -Ctr ctr.exe
}

$results = foreach ($name in $names) {
    $printed = @()
    if ($Engine -eq 'docker') {
        $archive = Join-Path ([System.IO.Path]::GetTempPath()) 'image.tar'
        & $Slipway airgap extract $bundle $name "-o=$archive" "-platforms=windows/amd64:$Release" -q
        if ($LASTEXITCODE -ne 0) { throw "extracting $name ended with $LASTEXITCODE" }
        docker load --input $archive
        if ($LASTEXITCODE -ne 0) { throw "docker load of $name ended with $LASTEXITCODE" }
        $printed = @(docker run --rm --isolation process $name 2>&1 | ForEach-Object { "$_" })
    }
    else {
        $id = 'slipway-' + [guid]::NewGuid().ToString('N')
        $printed = @(ctr.exe --namespace k8s.io run --rm $name $id 2>&1 | ForEach-Object { "$_" })
    }
    $code = [int64]$LASTEXITCODE -band 4294967295
    [ordered]@{
        product = $lock.name
        version = $lock.version
        image   = $name
        release = $Release
        engine  = "$Engine $version"
        exit    = $code
        started = -not ($failed -contains $code)
        output  = @($printed | Select-Object -First 20)
    }
}
ConvertTo-Json -Depth 4 -InputObject @($results) | Set-Content -Encoding utf8 $Out
if (@($results | Where-Object { -not $_.started }).Count -gt 0) {
    throw "images of $($lock.name) did not start: see $Out"
}
