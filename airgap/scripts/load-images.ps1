<#
.SYNOPSIS
Loads the images of {{.Name}} {{.Version}} into the containerd of this Windows node.

.DESCRIPTION
The bundle is the one for this Windows build. Where the release has none, a node of Windows Server 2022 or later takes the newest bundle that
is not newer than itself; its images of other makers run there, those of {{.Name}} too.

The kubelet leaves the images when it makes room, since nothing could pull them again: they are labeled io.cri-containerd.pinned=pinned, which containerd
knows since 1.6.25. Remove those of an old release with crictl rmi.

.PARAMETER Directory
The directory that has the bundles and SHA256SUMS; that of this script where it is not given.

.PARAMETER Key
The public key of the maintainer, which must come to this node in another way than the bundles: it may not be in their directory, below it or above
it. With it, nothing is imported unless SHA256SUMS.sig is a signature of SHA256SUMS by that key, and SHA256SUMS lists this script and what else tells
the release. This script came with the bundles: compare it with SHA256SUMS first, where that was verified.

{{- if .Groups}}

.PARAMETER Only
The groups of this node: {{.Groups}}. Without it, the bundle with all images is taken where it is there, and else each bundle of a group that is there.
{{- end}}

{{- if .Snapshot}}

.PARAMETER Snapshot
This is a snapshot, which no registry got: nothing is imported without it, for a node of tests.
{{- end}}

.PARAMETER Ctr
The ctr program.

.PARAMETER Address
containerd's named pipe; ctr's default where it is not given.

.PARAMETER Namespace
containerd's namespace; k8s.io is where the kubelet looks.

.EXAMPLE
.\load-images.ps1 -Directory D:\bundles -Ctr 'C:\Program Files\containerd\bin\ctr.exe'
#>
[CmdletBinding()]
param(
    # What is given and empty, as where a variable is not set, is an error: it would switch off what it asks for.
    [ValidateNotNullOrEmpty()][string]$Directory = $PSScriptRoot,
    [ValidateNotNullOrEmpty()][string]$Key,
{{- if .Parts}}
    [ValidateNotNullOrEmpty()][string[]]$Only,
{{- end}}
{{- if .Snapshot}}
    [switch]$Snapshot,
{{- end}}
    [ValidateNotNullOrEmpty()][string]$Ctr = 'ctr.exe',
    [ValidateNotNullOrEmpty()][string]$Address,
    [ValidateNotNullOrEmpty()][string]$Namespace = 'k8s.io'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'
{{- if .Snapshot}}

if (-not $Snapshot) {
    throw '{{.Name}} {{.Version}} is a snapshot, which no registry got: take a release, or name -Snapshot on a node of tests'
}
{{- end}}

# The bundles of the release, the newest Windows build first, with names and digests of their images, so that pods that pin a digest find them.
$bundles = @(
{{- range $node := .Windows}}{{range .Bundles}}
    @{
        Architecture = '{{$node.Architecture}}'
        Build        = {{$node.Build}}
        File         = '{{.File}}'
        Groups       = '{{.Groups}}'
{{- if $.Parts}}
        Base         = '{{.Base}}' # the bundle that has the layers that this one lacks
        Lacking      = @(
{{- range .Lacking}}
            '{{.}}'
{{- end}}
        )
{{- end}}
        Images       = @(
{{- range .Images}}
            @{ Name = '{{.Name}}'; Reference = '{{.Reference}}' }
{{- end}}
        )
    }
{{- end}}{{end}}
)

function Invoke-Ctr {
    param([string[]]$Arguments)
    $all = @('--namespace', $Namespace)
    if ($Address) {
        $all += @('--address', $Address)
    }
    $all += $Arguments
    & $Ctr $all
    if ($LASTEXITCODE -ne 0) {
        throw "$Ctr $($Arguments -join ' ') ended with exit code $LASTEXITCODE"
    }
}

# The environment's version is not to be trusted in every host of PowerShell; the registry's is.
$build = [int](Get-ItemProperty -Path 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion').CurrentBuildNumber
$architecture = $env:PROCESSOR_ARCHITECTURE.ToLowerInvariant()

$bundle = $bundles | Where-Object { $_.Architecture -eq $architecture -and $_.Build -eq $build } | Select-Object -First 1
# The oldest build that this one runs images of: its own, or since Server 2022 that of a release before it.
$oldest = $build
{{- range .Releases}}{{if .Oldest}}
if ($build -ge {{.Build}}) { $oldest = {{.Oldest}} }
{{- end}}{{end}}
if (-not $bundle) {
    $bundle = $bundles | Where-Object { $_.Architecture -eq $architecture -and $_.Build -ge $oldest -and $_.Build -le $build } | Select-Object -First 1
    if ($bundle) {
        Write-Warning "The release has no bundle for build $build; taking the images for build $($bundle.Build), which run here."
    }
}
if (-not $bundle) {
    throw "There is no bundle for Windows build $build on $architecture, only for builds $(($bundles | ForEach-Object { $_.Build } | Select-Object -Unique) -join ', ')."
}

$zstd = Get-Command -Name 'zstd.exe' -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1

{{if .Gzip -}}
# The name of a bundle's file to import: the .tar.gz, which is the same archive, where the .tar.zst is not there or nothing decompresses it.
function Select-Archive {
    param([string]$Name)
    $twin = $Name -replace '\.zst$', '.gz'
    $there = Test-Path -LiteralPath (Join-Path $Directory $Name) -PathType Leaf
    if ((Test-Path -LiteralPath (Join-Path $Directory $twin) -PathType Leaf) -and -not ($there -and $zstd)) {
        return $twin
    }
    return $Name
}

{{end -}}
# The bundles for that build: all images, or those groups that are asked for or there.
$bundles = @($bundles | Where-Object { $_.Architecture -eq $architecture -and $_.Build -eq $bundle.Build })
$chosen = @($bundles | Where-Object { -not $_.Groups } | Select-Object -First 1)
{{- if .Parts}}

# Whether the file of a bundle is there.
function Test-Bundle {
    param([string]$Name)
{{- if .Gzip}}
    $Name = Select-Archive -Name $Name
{{- end}}
    return Test-Path -LiteralPath (Join-Path $Directory $Name) -PathType Leaf
}

if ($Only) {
    $asked = @($bundles | Where-Object { $_.Groups -and $Only -contains $_.Groups })
    $chosen = @($asked | Where-Object { Test-Bundle -Name $_.File })
    foreach ($group in $Only) {
        if ($chosen | Where-Object { $_.Groups -eq $group }) {
            continue
        }
        $missing = @($asked | Where-Object { $_.Groups -eq $group } | Select-Object -First 1) # that it is not there is said below
        if (-not $missing) {
            throw "-Only ${group}: the release has no bundle of this group alone for build $($bundle.Build)."
        }
        $chosen += $missing
    }
} elseif (-not $chosen -or -not (Test-Bundle -Name $chosen[0].File)) {
    $there = @($bundles | Where-Object { $_.Groups -and (Test-Bundle -Name $_.File) })
    if ($there) {
        $chosen = $there
    }
}
if (-not $chosen) {
    throw "$Directory has no bundle for build $($bundle.Build): copy one here, or name the directory that has it with -Directory."
}
{{- end}}
$images = @($chosen | ForEach-Object { $_.Images })

# The numbers r and s of a signature in DER, 32 bytes each, as .NET reads them.
function ConvertFrom-Der {
    param([byte[]]$Der)
    $flat = New-Object -TypeName 'byte[]' -ArgumentList 64
    if ($Der.Length -lt 8 -or $Der[0] -ne 0x30 -or $Der[1] -ne $Der.Length - 2) {
        throw 'it is not DER'
    }
    $at = 2
    foreach ($end in @(32, 64)) {
        if ($at + 2 -gt $Der.Length -or $Der[$at] -ne 2) {
            throw 'it is not two numbers in DER'
        }
        $count = [int]$Der[$at + 1]
        $from = $at + 2
        $at = $from + $count
        if ($at -gt $Der.Length) {
            throw 'it ends early'
        }
        if ($count -eq 33 -and $Der[$from] -eq 0) {
            $from = $from + 1
            $count = 32
        }
        if ($count -lt 1 -or $count -gt 32) {
            throw 'its numbers are not of P-256'
        }
        [System.Array]::Copy($Der, $from, $flat, $end - $count, $count)
    }
    if ($at -ne $Der.Length) {
        throw 'more follows it'
    }
    return , $flat
}

# A public key on P-256 of a PEM file, for CNG: Windows PowerShell 5.1 has a .NET that reads no PEM. What precedes the point in the file is the
# same for every such key (RFC 5480).
function Import-PublicKey {
    param([string]$Path)
    $text = [System.IO.File]::ReadAllText($Path)
    if ($text -notmatch '^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$') {
        throw "$Path is not a file with one public key."
    }
    $spki = [System.Convert]::FromBase64String(($Matches[1] -replace '\s', ''))
    $prefix = '3059301306072A8648CE3D020106082A8648CE3D03010703420004'
    if ($spki.Length -ne 91 -or ([System.BitConverter]::ToString($spki, 0, 27) -replace '-', '') -ne $prefix) {
        throw "$Path is not an ECDSA key on P-256."
    }
    $blob = New-Object -TypeName 'byte[]' -ArgumentList 72
    [System.Array]::Copy([byte[]]@(0x45, 0x43, 0x53, 0x31, 32, 0, 0, 0), $blob, 8) # BCRYPT_ECDSA_PUBLIC_P256_MAGIC, and the length of a number
    [System.Array]::Copy($spki, 27, $blob, 8, 64)
    return [System.Security.Cryptography.CngKey]::Import($blob, [System.Security.Cryptography.CngKeyBlobFormat]::EccPublicBlob)
}

# The checksums are read once: these bytes are what counts. The bundle is too large for that: it is read twice, and nobody else may write to its directory.
$sums = Join-Path $Directory 'SHA256SUMS'
if (-not (Test-Path -LiteralPath $sums -PathType Leaf)) {
    throw "$sums is missing: copy it here from the release, or name the directory that has it with -Directory."
}
$sums = (Get-Item -LiteralPath $sums).FullName
$listed = [System.IO.File]::ReadAllBytes($sums)

# Compares a file with what SHA256SUMS lists under a name.
function Assert-Listed {
    param([string]$Name, [string]$File)
    $want = ''
    foreach ($line in [System.Text.Encoding]::UTF8.GetString($listed) -split "`n") {
        $hash, $named = $line.Trim() -split '\s+\*?', 2
        if ($named -eq $Name) {
            $want = $hash
        }
    }
    if (-not $want) {
        throw "SHA256SUMS does not name ${Name}: it is of another release."
    }
    $got = (Get-FileHash -LiteralPath $File -Algorithm SHA256).Hash.ToLowerInvariant()
    if ($got -ne $want.ToLowerInvariant()) {
        throw "$File has the checksum $got, SHA256SUMS says ${want}: copy it again."
    }
}

# Refuses a key that came with the bundles: one in their directory, below it, or above it. What is above ends at the system's drive and at the
# user's profile, unless the release is in that directly.
function Assert-KeyPlace {
    param([string]$File)
    $elsewhere = 'whoever changed the one could change the other: get the key in another way'
    $release = Split-Path -Parent -Path $sums
    $own = [System.Environment]::GetFolderPath('UserProfile')
    $separator = [System.IO.Path]::DirectorySeparatorChar
    if ($File.StartsWith($release.TrimEnd($separator) + $separator, [System.StringComparison]::OrdinalIgnoreCase)) {
        throw "$Key is next to the bundles, which it is to prove: $elsewhere."
    }
    $first = Split-Path -Parent -Path $release
    $at = $first
    while ($at) {
        $above = Split-Path -Parent -Path $at
        if ((-not $above -and $at.TrimEnd($separator) -eq "$env:SystemDrive") -or ($at -eq $own -and $at -ne $first)) {
            break
        }
        if ((Split-Path -Parent -Path $File) -eq $at) {
            throw "$Key is in a directory above the bundles, which it is to prove: $elsewhere."
        }
        if ($at -eq $own) {
            break
        }
        $at = $above
    }
}

if ($Key) {
    $keyFile = (Get-Item -LiteralPath $Key).FullName
    Assert-KeyPlace -File $keyFile
    $signature = "$sums.sig"
    if (-not (Test-Path -LiteralPath $signature -PathType Leaf)) {
        throw "$signature is missing: the release was not signed, or its signature was removed; copy it here from the release."
    }
    try {
        $flat = ConvertFrom-Der -Der ([System.Convert]::FromBase64String([System.IO.File]::ReadAllText($signature).Trim()))
    } catch {
        throw "$signature is not a signature in base64: $($_.Exception.Message): copy it again."
    }
    $ecdsa = New-Object -TypeName 'System.Security.Cryptography.ECDsaCng' -ArgumentList (Import-PublicKey -Path $keyFile)
    $digest = [System.Security.Cryptography.SHA256]::Create().ComputeHash($listed)
    if (-not $ecdsa.VerifyHash($digest, $flat)) {
        throw "$signature is not a signature of SHA256SUMS by the key ${Key}: it is of another release or another maintainer, or was changed; nothing was imported."
    }
    # The key has signed older releases, too: what tells the release is what this SHA256SUMS lists.
    if (-not $PSCommandPath) {
        throw 'This script must be run as a file, which is compared with SHA256SUMS.'
    }
    Assert-Listed -Name 'load-images.ps1' -File $PSCommandPath
    foreach ($name in @('release.lock.json', 'provenance.json', 'provenance.sigstore.json', 'release.yaml', 'load-images.sh')) {
        $path = Join-Path $Directory $name
        if (Test-Path -LiteralPath $path) {
            Assert-Listed -Name $name -File $path
        }
    }
    Write-Output "verified: SHA256SUMS is signed by $Key, and is of {{.Name}} {{.Version}}"
}

{{if .Gzip -}}
# Decompresses a .tar.gz. .NET does, so that no program is needed.
function Expand-Gzip {
    param([string]$From, [string]$To)
    $source = [System.IO.File]::OpenRead((Get-Item -LiteralPath $From).FullName)
    try {
        $archive = New-Object -TypeName 'System.IO.Compression.GZipStream' -ArgumentList $source, ([System.IO.Compression.CompressionMode]::Decompress)
        $target = [System.IO.File]::Create($To)
        try {
            $archive.CopyTo($target)
        } finally {
            $target.Dispose()
        }
    } finally {
        $source.Dispose()
    }
}

{{end -}}
# Checks a bundle against SHA256SUMS and imports it. What ctr of containerd 1 reads is plain tar; that of containerd 2 decompresses. Pipes of
# Windows PowerShell change bytes, so where zstd is there, it writes a file.
function Import-Bundle {
    param([string]$Name)
{{- if .Gzip}}
    $Name = Select-Archive -Name $Name
{{- end}}
    $file = Join-Path $Directory $Name
    if (-not (Test-Path -LiteralPath $file -PathType Leaf)) {
        throw "$file is missing: copy it here from the release, or name the directory that has it with -Directory."
    }
    Assert-Listed -Name $Name -File $file
    Write-Output "importing $Name into the namespace $Namespace"
    $temporary = ''
    try {
        $archive = $file
{{- if .Gzip}}
        if ($Name -like '*.gz') {
            $temporary = [System.IO.Path]::GetTempFileName()
            Expand-Gzip -From $file -To $temporary
            $archive = $temporary
        } elseif ($zstd) {
{{- else}}
        if ($zstd) {
{{- end}}
            $temporary = [System.IO.Path]::GetTempFileName()
            & $zstd.Source --decompress --force --quiet -o $temporary $file
            if ($LASTEXITCODE -ne 0) {
                throw "decompressing $file ended with exit code $LASTEXITCODE"
            }
            $archive = $temporary
        }
        # containerd unpacks an image for its first container. ctr of containerd 2 would unpack it for every build that this node could run, and
        # the bundle holds one.
        Invoke-Ctr -Arguments @('images', 'import', '--no-unpack', $archive)
    }
    finally {
        if ($temporary) {
            Remove-Item -LiteralPath $temporary -Force -ErrorAction SilentlyContinue
        }
    }
}

{{if .Parts -}}
# Refuses a sparse bundle on a node that does not have what it lacks.
function Assert-Base {
    param([hashtable]$Sparse)
    if ($Sparse.Lacking.Count -eq 0) {
        return
    }
    $have = @(Invoke-Ctr -Arguments @('content', 'ls', '--quiet'))
    if ($Sparse.Lacking | Where-Object { $have -notcontains $_ }) {
        throw "$($Sparse.File) has not all layers of its images, and this node lacks some: load $($Sparse.Base) first, or copy it here."
    }
}

{{end -}}
# Whether what containerd runs of each image is there, as far as containerd chooses now. containerd 1 goes by the last number of a build alone: of
# images for Server 2022 and 2025 a node of 2025 may ask for that of 2022.
function Test-Complete {
    foreach ($image in $images) {
        if (-not ((Invoke-Ctr -Arguments @('images', 'check', "name==$($image.Name)")) -match '\scomplete \(')) {
            return $false
        }
    }
    return $true
}

{{with .Complete -}}
# The bundle for all platforms has what a bundle for one build may lack: third-party images for builds between the two, and what containerd 1 asks for.
$complete = '{{.}}'
if ({{if $.Parts}}-not $Only -and {{end}}$bundle.Build -ne $build -and (Test-Path -LiteralPath (Join-Path $Directory {{if $.Gzip}}(Select-Archive -Name $complete){{else}}$complete{{end}}) -PathType Leaf)) {
    Import-Bundle -Name $complete
} else {
    $chosen | ForEach-Object { {{if $.Parts}}Assert-Base -Sparse $_; {{end}}Import-Bundle -Name $_.File }
    if ({{if $.Parts}}-not $Only -and {{end}}-not (Test-Complete)) {
        Import-Bundle -Name $complete
    }
}
{{- else -}}
$chosen | ForEach-Object { {{if $.Parts}}Assert-Base -Sparse $_; {{end}}Import-Bundle -Name $_.File }
{{- end}}
if (-not (Test-Complete)) {
    throw "containerd does not have all of the images that it would run on build $build; it needs images for that build, or a newer containerd."
}
foreach ($image in $images) {
    Invoke-Ctr -Arguments @('images', 'tag', '--force', $image.Name, $image.Reference) | Out-Null
    foreach ($name in @($image.Name, $image.Reference)) {
        Invoke-Ctr -Arguments @('images', 'label', $name, 'io.cri-containerd.pinned=pinned') | Out-Null
    }
}
Write-Output "done: $($images.Count) images"
