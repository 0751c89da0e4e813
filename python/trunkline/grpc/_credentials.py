# SPDX-License-Identifier: MIT
"""The credentials of channels and servers, and the functions that make them."""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from .._calls.connection_options import TlsCertificate

_log = logging.getLogger(__name__)

Pem = bytes


class ChannelCredentials:
    """The security of a channel. ``options`` are those of a ``trunkline.Channel``; None for a channel without TLS."""

    def __init__(self, options: dict[str, Any] | None, call_credentials: Any = None) -> None:
        self.options = options
        #: The CallCredentials of every call; None for none.
        self.call_credentials = call_credentials


class CompositeChannelCredentials(ChannelCredentials):
    """The security of a channel with credentials for each of its calls."""


class ServerCredentials:
    """The security of a server's port. ``options`` are a ``trunkline.Server``'s; None for a port without TLS."""

    def __init__(self, options: dict[str, Any] | None) -> None:
        self.options = options


class LocalConnectionType(enum.Enum):
    """The kinds of connections within one machine."""

    UDS = 0
    LOCAL_TCP = 1


def ssl_channel_credentials(
    root_certificates: Pem | None = None, private_key: Pem | None = None, certificate_chain: Pem | None = None
) -> ChannelCredentials:
    """Returns credentials for TLS. The server's certificate is checked against ``root_certificates``; the system's by
    default. ``private_key`` and ``certificate_chain`` are this client's, if the server asks for them. All are PEM."""
    for given in (root_certificates, private_key, certificate_chain):
        if given is not None and not isinstance(given, bytes):
            raise TypeError(f"a key or certificate is bytes in PEM, not {type(given).__name__}")
    options: dict[str, Any] = {}
    if root_certificates is not None:
        options["ca_pem"] = root_certificates
    if private_key is not None and certificate_chain is not None:
        options.update(private_key_pem=private_key, certificate_pem=certificate_chain)
    return ChannelCredentials(options)


def local_channel_credentials(
    local_connect_type: LocalConnectionType = LocalConnectionType.LOCAL_TCP,
) -> ChannelCredentials:
    """Returns credentials for a channel within one machine, without TLS; calls may have credentials of their own."""
    return ChannelCredentials(None)


def composite_channel_credentials(
    channel_credentials: ChannelCredentials, *call_credentials: Any
) -> ChannelCredentials:
    """Returns the channel's credentials, with credentials for each of its calls."""
    from ._call_credentials import composite_call_credentials

    own = channel_credentials.call_credentials
    every = (*(() if own is None else (own,)), *call_credentials)
    return CompositeChannelCredentials(channel_credentials.options, composite_call_credentials(*every))


class ServerCertificateConfiguration:
    """The certificates of a server, for ``dynamic_ssl_server_credentials``."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options


def _server_options(
    pairs: Iterable[tuple[Pem, Pem]], root_certificates: Pem | None, require_client_auth: bool
) -> dict[str, Any]:
    """Returns the options. ValueError without any pair, or root certificates if clients need certificates."""
    found = list(pairs)
    if not found:
        raise ValueError("At least one private key-certificate chain pair is required!")
    if require_client_auth and root_certificates is None:
        raise ValueError("Illegal to require client auth without providing root certificates!")
    first, *others = ({"private_key_pem": key, "certificate_pem": chain} for key, chain in found)
    options: dict[str, Any] = {**first, "additional_certificates": others}
    if root_certificates is not None and require_client_auth:
        options.update(ca_pem=root_certificates, client_certificate="required")
    return options


def ssl_server_credentials(
    private_key_certificate_chain_pairs: Iterable[tuple[Pem, Pem]],
    root_certificates: Pem | None = None,
    require_client_auth: bool = False,
) -> ServerCredentials:
    """Returns credentials for TLS with pairs of a private key and a certificate chain, as PEM. A client that names a
    host meets the first certificate for it, other clients meet the first one. With ``require_client_auth`` clients need
    a certificate that ``root_certificates`` vouch for."""
    return ServerCredentials(
        _server_options(private_key_certificate_chain_pairs, root_certificates, require_client_auth)
    )


def ssl_server_certificate_configuration(
    private_key_certificate_chain_pairs: Iterable[tuple[Pem, Pem]], root_certificates: Pem | None = None
) -> ServerCertificateConfiguration:
    """Returns the certificates of a server, for ``dynamic_ssl_server_credentials``."""
    options = _server_options(private_key_certificate_chain_pairs, root_certificates, False)
    if root_certificates is not None:
        options["ca_pem"] = root_certificates
    return ServerCertificateConfiguration(options)


def dynamic_ssl_server_credentials(
    initial_certificate_configuration: ServerCertificateConfiguration,
    certificate_configuration_fetcher: Callable[[], ServerCertificateConfiguration | None],
    require_client_authentication: bool = False,
) -> ServerCredentials:
    """Returns credentials for TLS with certificates that may be replaced. ``certificate_configuration_fetcher`` is
    called for each connection before its handshake; it returns the certificates for this and later connections, or None
    to keep those in use. It runs on the thread that serves connections; if it raises, the certificates stay in use.
    With ``require_client_authentication`` clients need a certificate that the root certificates vouch for. Raises
    TypeError for arguments of other types."""
    if not isinstance(initial_certificate_configuration, ServerCertificateConfiguration):
        raise TypeError(
            "initial_cert_config must be a grpc.ServerCertificateConfiguration, not "
            f"{type(initial_certificate_configuration).__name__}"
        )
    if not callable(certificate_configuration_fetcher):
        raise TypeError(f"fetcher must be callable, not {type(certificate_configuration_fetcher).__name__}")
    options = dict(initial_certificate_configuration.options)
    if require_client_authentication:
        if "ca_pem" not in options:
            raise ValueError("Illegal to require client auth without providing root certificates!")
        options["client_certificate"] = "required"
    else:
        options.pop("ca_pem", None)

    def renew_tls() -> tuple[Pem, Pem, Pem | None, list[TlsCertificate]] | None:
        try:
            renewed = certificate_configuration_fetcher()
        except Exception:
            _log.exception("the fetcher of certificates has raised")
            return None
        if renewed is None:
            return None
        if not isinstance(renewed, ServerCertificateConfiguration):
            _log.error("the fetcher of certificates has returned a %s", type(renewed).__name__)
            return None
        found = renewed.options
        return (
            found["private_key_pem"],
            found["certificate_pem"],
            found.get("ca_pem"),
            found["additional_certificates"],
        )

    options["renew_tls"] = renew_tls
    return ServerCredentials(options)


def insecure_server_credentials() -> ServerCredentials:
    """Returns credentials for a port without TLS."""
    return ServerCredentials(None)


def local_server_credentials(
    local_connect_type: LocalConnectionType = LocalConnectionType.LOCAL_TCP,
) -> ServerCredentials:
    """Returns credentials for a port without TLS, for clients on the same machine."""
    return ServerCredentials(None)


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"grpc.{name} is not supported by Trunkline")


def alts_channel_credentials(service_accounts: Sequence[str] | None = None) -> NoReturn:
    """Raises NotImplementedError, as this is not supported."""
    _refuse("alts_channel_credentials")


def alts_server_credentials() -> NoReturn:
    """Raises NotImplementedError, as this is not supported."""
    _refuse("alts_server_credentials")


def compute_engine_channel_credentials(call_credentials: Any) -> ChannelCredentials:
    """Returns credentials for TLS with the system's certificates, and ``call_credentials`` for each call. This is what
    grpcio's are outside of Google's network; inside of it grpcio may use ALTS, which is not supported."""
    return composite_channel_credentials(ssl_channel_credentials(), call_credentials)


def xds_channel_credentials(fallback_credentials: ChannelCredentials | None = None) -> ChannelCredentials:
    """Returns the fallback, as xDS is not supported."""
    return ssl_channel_credentials() if fallback_credentials is None else fallback_credentials


def xds_server_credentials(fallback_credentials: ServerCredentials) -> ServerCredentials:
    """Returns the fallback, as xDS is not supported."""
    return fallback_credentials
